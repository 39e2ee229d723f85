; Miconic: a lift stops at floors, where waiting passengers board and those at their goal depart.
(define (domain miconic)
  (:requirements :strips :typing)
  (:types passenger floor - object)

  (:predicates
    (origin ?p - passenger ?f - floor)  ; ?p waits on ?f
    (destin ?p - passenger ?f - floor)  ; ?p wants to go to ?f
    (above ?low ?high - floor)          ; ?high is one of the floors above ?low
    (boarded ?p - passenger)
    (served ?p - passenger)
    (lift-at ?f - floor))

  (:action board
    :parameters (?f - floor ?p - passenger)
    :precondition (and
      (lift-at ?f)
      (origin ?p ?f))
    :effect (and
      (boarded ?p)
      (not (origin ?p ?f))))

  (:action depart
    :parameters (?f - floor ?p - passenger)
    :precondition (and
      (lift-at ?f)
      (destin ?p ?f)
      (boarded ?p))
    :effect (and
      (not (boarded ?p))
      (served ?p)))

  (:action up
    :parameters (?here ?there - floor)
    :precondition (and
      (lift-at ?here)
      (above ?here ?there))
    :effect (and
      (lift-at ?there)
      (not (lift-at ?here))))

  (:action down
    :parameters (?here ?there - floor)
    :precondition (and
      (lift-at ?here)
      (above ?there ?here))
    :effect (and
      (lift-at ?there)
      (not (lift-at ?here)))))
