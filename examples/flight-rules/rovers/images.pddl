; The same for images: rover1 must calibrate its camera far from what it is to photograph.
(define (problem rovers-images)
  (:domain rovers)
  (:objects
    general relay - lander
    rover1 rover2 rover3 - rover
    camera1 camera2 camera3 - camera
    high_res low_res - mode
    crater mast - objective
    landing base ridge hill - waypoint)
  (:init
    (at_lander general landing) (channel_free general)
    (at_lander relay hill)
    (visible base landing) (visible landing ridge) (visible ridge hill)
    (visible base ridge) (visible ridge base)

    (at rover1 ridge) (available rover1) (equipped_for_imaging rover1)
    (can_traverse rover1 base ridge) (can_traverse rover1 ridge base)
    (on_board camera1 rover1) (supports camera1 high_res) (supports camera1 low_res)
    (calibration_target camera1 mast)
    (on_board camera2 rover1) (calibration_target camera2 crater)

    (at rover2 ridge) (available rover2)
    (on_board camera3 rover2) (supports camera3 high_res) (calibration_target camera3 crater)

    (at rover3 base) (equipped_for_imaging rover3)
    (have_image rover3 crater high_res) (have_image rover3 crater low_res)
    (have_image rover3 mast high_res)

    (visible_from mast base) (visible_from crater ridge))
  (:goal (and
    (communicated_image_data crater high_res) (communicated_image_data crater low_res)
    (communicated_image_data mast high_res)
    (at rover1 ridge))))
