; Every precondition costs somebody a detour here: what a mistake in the domain would allow is a
; shorter plan. rover1 is for soil and rover2 for rock, their stores are full, and from base to
; rocks they can drive through pass only. rover3 cannot be commanded, and the relay does not listen.
(define (problem rovers-samples)
  (:domain rovers)
  (:objects
    general relay - lander
    rover1 rover2 rover3 - rover
    rover1store rover2store rover3store - store
    landing base pass rocks hill - waypoint)
  (:init
    (at_lander general landing) (channel_free general)
    (at_lander relay hill)
    (visible base landing) (visible landing rocks) (visible rocks hill)
    (visible base pass) (visible pass base) (visible pass rocks) (visible rocks pass)
    (visible rocks base)

    (at rover1 base) (available rover1) (equipped_for_soil_analysis rover1)
    (store_of rover1store rover1) (full rover1store)
    (can_traverse rover1 base pass) (can_traverse rover1 pass base)
    (can_traverse rover1 pass rocks) (can_traverse rover1 rocks pass)
    (can_traverse rover1 base rocks)

    (at rover2 base) (available rover2) (equipped_for_rock_analysis rover2)
    (store_of rover2store rover2) (full rover2store)
    (can_traverse rover2 base pass) (can_traverse rover2 pass base)
    (can_traverse rover2 pass rocks) (can_traverse rover2 rocks pass)
    (can_traverse rover2 base rocks)

    (at rover3 base)
    (store_of rover3store rover3) (empty rover3store)
    (can_traverse rover3 base pass)
    (have_soil_analysis rover3 rocks) (have_rock_analysis rover3 rocks)

    (at_soil_sample rocks) (at_soil_sample base)
    (at_rock_sample rocks) (at_rock_sample base))
  (:goal (and
    (communicated_soil_data rocks) (communicated_soil_data base)
    (communicated_rock_data rocks) (communicated_rock_data base)
    (at rover1 rocks) (at rover2 rocks))))
