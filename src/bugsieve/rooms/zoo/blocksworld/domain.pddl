; Blocksworld: a single arm moves one clear block at a time.
(define (domain blocksworld)
  (:requirements :strips :typing)
  (:types block - object)

  (:predicates
    (clear ?b - block)                  ; nothing stands on ?b
    (ontable ?b - block)
    (on ?b ?under - block)
    (holding ?b - block)
    (handempty))

  (:action pick-up
    :parameters (?b - block)
    :precondition (and
      (clear ?b)
      (ontable ?b)
      (handempty))
    :effect (and
      (not (ontable ?b))
      (not (clear ?b))
      (not (handempty))
      (holding ?b)))

  (:action put-down
    :parameters (?b - block)
    :precondition (holding ?b)
    :effect (and
      (not (holding ?b))
      (clear ?b)
      (handempty)
      (ontable ?b)))

  (:action stack
    :parameters (?b ?under - block)
    :precondition (and
      (holding ?b)
      (clear ?under))
    :effect (and
      (not (holding ?b))
      (not (clear ?under))
      (clear ?b)
      (handempty)
      (on ?b ?under)))

  (:action unstack
    :parameters (?b ?under - block)
    :precondition (and
      (on ?b ?under)
      (clear ?b)
      (handempty))
    :effect (and
      (holding ?b)
      (clear ?under)
      (not (clear ?b))
      (not (handempty))
      (not (on ?b ?under)))))
