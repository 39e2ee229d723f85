; The rover of "Testing Planning Domains (without Model Checkers)" in PDDL: it is at a place or
; going to the next one, its instruments are stowed or in use, and driving takes charge.
(define (domain flight-rover)
  (:requirements :strips :typing :existential-preconditions :universal-preconditions
    :disjunctive-preconditions)
  (:types rover waypoint instrument level - object)

  (:predicates
    (at ?r - rover ?x - waypoint)
    (going ?r - rover ?x ?y - waypoint)
    (path ?x ?y - waypoint)
    (sunny ?x - waypoint)
    (on-board ?i - instrument ?r - rover)
    (stowed ?i - instrument)
    (unstowed ?i - instrument)
    (placed ?i - instrument)
    (rock-at ?x - waypoint)
    (sampled ?x - waypoint)
    (charge ?r - rover ?l - level)
    (below ?l ?m - level))

  ; The lowest level is a reserve: no drive ends there.
  (:action depart
    :parameters (?r - rover ?x ?y - waypoint ?high ?low ?reserve - level)
    :precondition (and
      (at ?r ?x)
      (path ?x ?y)
      (forall (?i - instrument) (imply (on-board ?i ?r) (stowed ?i)))
      (charge ?r ?high)
      (below ?low ?high)
      (below ?reserve ?low))
    :effect (and
      (not (at ?r ?x))
      (going ?r ?x ?y)
      (not (charge ?r ?high))
      (charge ?r ?low)))

  (:action arrive
    :parameters (?r - rover ?x ?y - waypoint)
    :precondition (going ?r ?x ?y)
    :effect (and
      (not (going ?r ?x ?y))
      (at ?r ?y)))

  (:action recharge
    :parameters (?r - rover ?x - waypoint ?low ?high - level)
    :precondition (and
      (at ?r ?x)
      (sunny ?x)
      (charge ?r ?low)
      (below ?low ?high))
    :effect (and
      (not (charge ?r ?low))
      (charge ?r ?high)))

  (:action unstow
    :parameters (?r - rover ?i - instrument ?x - waypoint)
    :precondition (and
      (on-board ?i ?r)
      (at ?r ?x)
      (stowed ?i))
    :effect (and
      (not (stowed ?i))
      (unstowed ?i)))

  (:action place
    :parameters (?r - rover ?i - instrument ?x - waypoint)
    :precondition (and
      (on-board ?i ?r)
      (at ?r ?x)
      (rock-at ?x)
      (unstowed ?i))
    :effect (and
      (not (unstowed ?i))
      (placed ?i)))

  (:action take-sample
    :parameters (?r - rover ?x - waypoint)
    :precondition (and
      (at ?r ?x)
      (rock-at ?x)
      (exists (?i - instrument) (and (on-board ?i ?r) (placed ?i))))
    :effect (sampled ?x))

  (:action stow
    :parameters (?r - rover ?i - instrument)
    :precondition (and
      (on-board ?i ?r)
      (placed ?i))
    :effect (and
      (not (placed ?i))
      (stowed ?i))))
