; Visitall: a robot steps between connected places and remembers where it has been.
(define (domain visitall)
  (:requirements :strips :typing)
  (:types place - object)

  (:predicates
    (connected ?here ?there - place)
    (at-robot ?p - place)
    (visited ?p - place))

  (:action move
    :parameters (?here ?there - place)
    :precondition (and
      (at-robot ?here)
      (connected ?here ?there))
    :effect (and
      (at-robot ?there)
      (not (at-robot ?here))
      (visited ?there))))
