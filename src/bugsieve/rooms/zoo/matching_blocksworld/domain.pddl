; Matching blocksworld: hands and blocks are positive or negative. A block that is released by a
; hand of the other sign is no longer solid, and nothing can be stacked on it any more.
(define (domain matching-blocksworld)
  (:requirements :strips :typing)
  (:types hand block - object)

  (:predicates
    (hand-positive ?h - hand)
    (hand-negative ?h - hand)
    (empty ?h - hand)
    (holding ?h - hand ?b - block)
    (block-positive ?b - block)
    (block-negative ?b - block)
    (solid ?b - block)
    (clear ?b - block)
    (on-table ?b - block)
    (on ?b ?under - block))

  (:action pickup
    :parameters (?h - hand ?b - block)
    :precondition (and
      (clear ?b)
      (on-table ?b)
      (empty ?h))
    :effect (and
      (holding ?h ?b)
      (not (on-table ?b))
      (not (clear ?b))
      (not (empty ?h))))

  (:action putdown-pos-pos
    :parameters (?h - hand ?b - block)
    :precondition (and
      (holding ?h ?b)
      (hand-positive ?h)
      (block-positive ?b))
    :effect (and
      (empty ?h)
      (on-table ?b)
      (clear ?b)
      (not (holding ?h ?b))))

  (:action putdown-neg-neg
    :parameters (?h - hand ?b - block)
    :precondition (and
      (holding ?h ?b)
      (hand-negative ?h)
      (block-negative ?b))
    :effect (and
      (empty ?h)
      (on-table ?b)
      (clear ?b)
      (not (holding ?h ?b))))

  (:action putdown-pos-neg
    :parameters (?h - hand ?b - block)
    :precondition (and
      (holding ?h ?b)
      (hand-positive ?h)
      (block-negative ?b))
    :effect (and
      (empty ?h)
      (on-table ?b)
      (clear ?b)
      (not (solid ?b))
      (not (holding ?h ?b))))

  (:action putdown-neg-pos
    :parameters (?h - hand ?b - block)
    :precondition (and
      (holding ?h ?b)
      (hand-negative ?h)
      (block-positive ?b))
    :effect (and
      (empty ?h)
      (on-table ?b)
      (not (solid ?b))
      (clear ?b)
      (not (holding ?h ?b))))

  (:action stack-pos-pos
    :parameters (?h - hand ?b ?under - block)
    :precondition (and
      (clear ?under)
      (solid ?under)
      (holding ?h ?b)
      (hand-positive ?h)
      (block-positive ?b))
    :effect (and
      (empty ?h)
      (on ?b ?under)
      (clear ?b)
      (not (clear ?under))
      (not (holding ?h ?b))))

  (:action stack-neg-neg
    :parameters (?h - hand ?b ?under - block)
    :precondition (and
      (clear ?under)
      (solid ?under)
      (holding ?h ?b)
      (hand-negative ?h)
      (block-negative ?b))
    :effect (and
      (empty ?h)
      (on ?b ?under)
      (clear ?b)
      (not (clear ?under))
      (not (holding ?h ?b))))

  (:action stack-pos-neg
    :parameters (?h - hand ?b ?under - block)
    :precondition (and
      (clear ?under)
      (solid ?under)
      (holding ?h ?b)
      (hand-positive ?h)
      (block-negative ?b))
    :effect (and
      (empty ?h)
      (on ?b ?under)
      (not (solid ?b))
      (clear ?b)
      (not (clear ?under))
      (not (holding ?h ?b))))

  (:action stack-neg-pos
    :parameters (?h - hand ?b ?under - block)
    :precondition (and
      (clear ?under)
      (solid ?under)
      (holding ?h ?b)
      (hand-negative ?h)
      (block-positive ?b))
    :effect (and
      (empty ?h)
      (on ?b ?under)
      (not (solid ?b))
      (clear ?b)
      (not (clear ?under))
      (not (holding ?h ?b))))

  (:action unstack
    :parameters (?h - hand ?b ?under - block)
    :precondition (and
      (on ?b ?under)
      (clear ?b)
      (empty ?h))
    :effect (and
      (holding ?h ?b)
      (clear ?under)
      (not (clear ?b))
      (not (on ?b ?under))
      (not (empty ?h)))))
