; Storage: hoists lift crates out of containers and drop them in depots. A store area holds one
; hoist or one crate; in a transit area there is room for any number of hoists.
(define (domain storage)
  (:requirements :strips :typing)
  (:types
    hoist surface place - object
    container depot - place
    area crate - surface
    storearea transitarea - area)

  (:predicates
    (in ?x - surface ?p - place)        ; for store areas and crates
    (connected ?a ?b - area)
    (clear ?s - storearea)
    (on ?c - crate ?s - storearea)
    (at ?h - hoist ?a - area)
    (available ?h - hoist)
    (lifting ?h - hoist ?c - crate))

  (:action lift
    :parameters (?h - hoist ?c - crate ?s - storearea ?a - area ?p - place)
    :precondition (and
      (connected ?s ?a)
      (at ?h ?a)
      (available ?h)
      (on ?c ?s)
      (in ?s ?p))
    :effect (and
      (not (on ?c ?s))
      (clear ?s)
      (not (available ?h))
      (lifting ?h ?c)
      (not (in ?c ?p))))

  (:action drop
    :parameters (?h - hoist ?c - crate ?s - storearea ?a - area ?p - place)
    :precondition (and
      (connected ?s ?a)
      (at ?h ?a)
      (lifting ?h ?c)
      (clear ?s)
      (in ?s ?p))
    :effect (and
      (not (lifting ?h ?c))
      (available ?h)
      (not (clear ?s))
      (on ?c ?s)
      (in ?c ?p)))

  (:action move
    :parameters (?h - hoist ?here ?there - storearea)
    :precondition (and
      (at ?h ?here)
      (clear ?there)
      (connected ?here ?there))
    :effect (and
      (not (at ?h ?here))
      (at ?h ?there)
      (not (clear ?there))
      (clear ?here)))

  (:action go-out
    :parameters (?h - hoist ?here - storearea ?there - transitarea)
    :precondition (and
      (at ?h ?here)
      (connected ?here ?there))
    :effect (and
      (not (at ?h ?here))
      (at ?h ?there)
      (clear ?here)))

  (:action go-in
    :parameters (?h - hoist ?here - transitarea ?there - storearea)
    :precondition (and
      (at ?h ?here)
      (connected ?here ?there)
      (clear ?there))
    :effect (and
      (not (at ?h ?here))
      (at ?h ?there)
      (not (clear ?there)))))
