; Sokoban: the player walks for free and pushes stones at cost 1; stones cannot be pulled.
(define (domain sokoban)
  (:requirements :strips :typing :action-costs)
  (:types
    thing location direction - object
    player stone - thing)

  (:predicates
    (at ?x - thing ?l - location)
    (clear ?l - location)               ; neither player nor stone is there
    (at-goal ?s - stone)
    (is-goal ?l - location)
    (is-nongoal ?l - location)
    (move-dir ?here ?there - location ?d - direction))

  (:functions (total-cost) - number)

  (:action move
    :parameters (?p - player ?here ?there - location ?d - direction)
    :precondition (and
      (at ?p ?here)
      (clear ?there)
      (move-dir ?here ?there ?d))
    :effect (and
      (not (at ?p ?here))
      (not (clear ?there))
      (at ?p ?there)
      (clear ?here)))

  (:action push-to-nongoal
    :parameters (?p - player ?s - stone ?behind ?here ?there - location ?d - direction)
    :precondition (and
      (at ?p ?behind)
      (at ?s ?here)
      (clear ?there)
      (move-dir ?behind ?here ?d)
      (move-dir ?here ?there ?d)
      (is-nongoal ?there))
    :effect (and
      (not (at ?p ?behind))
      (not (at ?s ?here))
      (not (clear ?there))
      (at ?p ?here)
      (at ?s ?there)
      (clear ?behind)
      (not (at-goal ?s))
      (increase (total-cost) 1)))

  (:action push-to-goal
    :parameters (?p - player ?s - stone ?behind ?here ?there - location ?d - direction)
    :precondition (and
      (at ?p ?behind)
      (at ?s ?here)
      (clear ?there)
      (move-dir ?behind ?here ?d)
      (move-dir ?here ?there ?d)
      (is-goal ?there))
    :effect (and
      (not (at ?p ?behind))
      (not (at ?s ?here))
      (not (clear ?there))
      (at ?p ?here)
      (at ?s ?there)
      (clear ?behind)
      (at-goal ?s)
      (increase (total-cost) 1))))
