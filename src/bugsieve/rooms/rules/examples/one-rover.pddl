(define (problem one-rover)
  (:domain flight-rover)
  (:objects
    rover1 - rover
    drill - instrument
    lander rock4 - waypoint
    empty low high - level)
  (:init
    (path lander rock4) (path rock4 lander)
    (sunny lander)
    (rock-at rock4)
    (at rover1 lander) (on-board drill rover1) (stowed drill)
    (charge rover1 high) (below empty low) (below low high))
  (:goal (and (sampled rock4) (stowed drill))))
