(define (problem two-rovers)
  (:domain flight-rover)
  (:objects
    rover1 rover2 - rover
    drill camera spectrometer - instrument
    lander rock3 rock4 - waypoint
    empty low middle high - level)
  (:init
    (path lander rock3) (path rock3 lander) (path rock3 rock4) (path rock4 rock3)
    (sunny lander) (sunny rock4)
    (rock-at rock3) (rock-at rock4)
    (at rover1 lander) (on-board drill rover1) (on-board camera rover1)
    (stowed drill) (stowed camera)
    (at rover2 rock3) (on-board spectrometer rover2) (stowed spectrometer)
    (charge rover1 high) (charge rover2 middle)
    (below empty low) (below low middle) (below middle high))
  (:goal (and (sampled rock3) (sampled rock4) (at rover1 lander) (at rover2 lander))))
