; Spanner: links lead one way only, and a spanner is worn out by the first nut it tightens.
(define (domain spanner)
  (:requirements :strips :typing)
  (:types
    location locatable - object
    man nut spanner - locatable)

  (:predicates
    (at ?x - locatable ?l - location)
    (link ?here ?there - location)
    (carrying ?m - man ?s - spanner)
    (usable ?s - spanner)
    (loose ?n - nut)
    (tightened ?n - nut))

  (:action walk
    :parameters (?here ?there - location ?m - man)
    :precondition (and
      (at ?m ?here)
      (link ?here ?there))
    :effect (and
      (not (at ?m ?here))
      (at ?m ?there)))

  (:action pickup_spanner
    :parameters (?l - location ?s - spanner ?m - man)
    :precondition (and
      (at ?m ?l)
      (at ?s ?l))
    :effect (and
      (not (at ?s ?l))
      (carrying ?m ?s)))

  (:action tighten_nut
    :parameters (?l - location ?s - spanner ?m - man ?n - nut)
    :precondition (and
      (at ?m ?l)
      (at ?n ?l)
      (carrying ?m ?s)
      (usable ?s)
      (loose ?n))
    :effect (and
      (not (loose ?n))
      (not (usable ?s))
      (tightened ?n))))
