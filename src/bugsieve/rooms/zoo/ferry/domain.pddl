; Ferry: a ferry with room for a single car sails between any two locations.
(define (domain ferry)
  (:requirements :strips :typing :negative-preconditions)
  (:types car location - object)

  (:predicates
    (at-ferry ?l - location)
    (at ?c - car ?l - location)
    (empty-ferry)
    (on ?c - car))                      ; ?c is on the ferry

  (:action sail
    :parameters (?here ?there - location)
    :precondition (and
      (at-ferry ?here)
      (not (at-ferry ?there)))
    :effect (and
      (at-ferry ?there)
      (not (at-ferry ?here))))

  (:action board
    :parameters (?c - car ?l - location)
    :precondition (and
      (at ?c ?l)
      (at-ferry ?l)
      (empty-ferry))
    :effect (and
      (on ?c)
      (not (at ?c ?l))
      (not (empty-ferry))))

  (:action debark
    :parameters (?c - car ?l - location)
    :precondition (and
      (on ?c)
      (at-ferry ?l))
    :effect (and
      (at ?c ?l)
      (empty-ferry)
      (not (on ?c)))))
