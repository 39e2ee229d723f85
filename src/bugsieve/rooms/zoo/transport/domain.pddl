; Transport: vehicles drive along roads and carry as many packages as they have room for. A drive
; costs the length of the road, loading and unloading cost 1.
(define (domain transport)
  (:requirements :strips :typing :action-costs)
  (:types
    location locatable capacity-number - object
    vehicle package - locatable)

  (:predicates
    (road ?here ?there - location)
    (at ?x - locatable ?place - location)
    (in ?p - package ?v - vehicle)
    (capacity ?v - vehicle ?room - capacity-number)     ; the room that is left in ?v
    (capacity-predecessor ?less ?more - capacity-number))

  (:functions
    (road-length ?here ?there - location) - number
    (total-cost) - number)

  (:action drive
    :parameters (?v - vehicle ?here ?there - location)
    :precondition (and
      (at ?v ?here)
      (road ?here ?there))
    :effect (and
      (not (at ?v ?here))
      (at ?v ?there)
      (increase (total-cost) (road-length ?here ?there))))

  (:action pick-up
    :parameters (?v - vehicle ?place - location ?p - package ?less ?more - capacity-number)
    :precondition (and
      (at ?v ?place)
      (at ?p ?place)
      (capacity-predecessor ?less ?more)
      (capacity ?v ?more))
    :effect (and
      (not (at ?p ?place))
      (in ?p ?v)
      (capacity ?v ?less)
      (not (capacity ?v ?more))
      (increase (total-cost) 1)))

  (:action drop
    :parameters (?v - vehicle ?place - location ?p - package ?less ?more - capacity-number)
    :precondition (and
      (at ?v ?place)
      (in ?p ?v)
      (capacity-predecessor ?less ?more)
      (capacity ?v ?less))
    :effect (and
      (not (in ?p ?v))
      (at ?p ?place)
      (capacity ?v ?more)
      (not (capacity ?v ?less))
      (increase (total-cost) 1))))
