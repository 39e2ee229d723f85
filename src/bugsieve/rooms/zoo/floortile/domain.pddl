; Floortile: robots walk on a grid of tiles and paint the tile above or below them. A painted tile
; cannot be entered again. Going up is dearer than the other moves, changing color dearer still.
(define (domain floortile)
  (:requirements :strips :typing :action-costs)
  (:types robot tile color - object)

  (:predicates
    (robot-at ?r - robot ?t - tile)
    (robot-has ?r - robot ?c - color)
    (available-color ?c - color)
    (clear ?t - tile)                   ; neither painted nor occupied
    (painted ?t - tile ?c - color)
    (up ?there ?here - tile)            ; ?there lies above ?here, and so on
    (down ?there ?here - tile)
    (right ?there ?here - tile)
    (left ?there ?here - tile))

  (:functions (total-cost) - number)

  (:action change-color
    :parameters (?r - robot ?old ?new - color)
    :precondition (and
      (robot-has ?r ?old)
      (available-color ?new))
    :effect (and
      (not (robot-has ?r ?old))
      (robot-has ?r ?new)
      (increase (total-cost) 5)))

  (:action paint-up
    :parameters (?r - robot ?there ?here - tile ?c - color)
    :precondition (and
      (robot-has ?r ?c)
      (robot-at ?r ?here)
      (up ?there ?here)
      (clear ?there))
    :effect (and
      (not (clear ?there))
      (painted ?there ?c)
      (increase (total-cost) 2)))

  (:action paint-down
    :parameters (?r - robot ?there ?here - tile ?c - color)
    :precondition (and
      (robot-has ?r ?c)
      (robot-at ?r ?here)
      (down ?there ?here)
      (clear ?there))
    :effect (and
      (not (clear ?there))
      (painted ?there ?c)
      (increase (total-cost) 2)))

  (:action up
    :parameters (?r - robot ?here ?there - tile)
    :precondition (and
      (robot-at ?r ?here)
      (up ?there ?here)
      (clear ?there))
    :effect (and
      (robot-at ?r ?there)
      (not (robot-at ?r ?here))
      (clear ?here)
      (not (clear ?there))
      (increase (total-cost) 3)))

  (:action down
    :parameters (?r - robot ?here ?there - tile)
    :precondition (and
      (robot-at ?r ?here)
      (down ?there ?here)
      (clear ?there))
    :effect (and
      (robot-at ?r ?there)
      (not (robot-at ?r ?here))
      (clear ?here)
      (not (clear ?there))
      (increase (total-cost) 1)))

  (:action right
    :parameters (?r - robot ?here ?there - tile)
    :precondition (and
      (robot-at ?r ?here)
      (right ?there ?here)
      (clear ?there))
    :effect (and
      (robot-at ?r ?there)
      (not (robot-at ?r ?here))
      (clear ?here)
      (not (clear ?there))
      (increase (total-cost) 1)))

  (:action left
    :parameters (?r - robot ?here ?there - tile)
    :precondition (and
      (robot-at ?r ?here)
      (left ?there ?here)
      (clear ?there))
    :effect (and
      (robot-at ?r ?there)
      (not (robot-at ?r ?here))
      (clear ?here)
      (not (clear ?there))
      (increase (total-cost) 1))))
