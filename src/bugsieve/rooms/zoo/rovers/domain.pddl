; Rovers: rovers drive between waypoints, fill their store with a sample or take an image with a
; calibrated camera, and send the result from any waypoint from which the lander is seen.
(define (domain rovers)
  (:requirements :strips :typing)
  (:types rover waypoint store camera mode lander objective - object)

  (:predicates
    (at ?r - rover ?w - waypoint)
    (at_lander ?l - lander ?w - waypoint)
    (can_traverse ?r - rover ?here ?there - waypoint)
    (visible ?here ?there - waypoint)
    (available ?r - rover)
    (channel_free ?l - lander)

    (equipped_for_soil_analysis ?r - rover)
    (equipped_for_rock_analysis ?r - rover)
    (store_of ?s - store ?r - rover)
    (empty ?s - store)
    (full ?s - store)
    (at_soil_sample ?w - waypoint)
    (at_rock_sample ?w - waypoint)
    (have_soil_analysis ?r - rover ?w - waypoint)
    (have_rock_analysis ?r - rover ?w - waypoint)

    (equipped_for_imaging ?r - rover)
    (on_board ?c - camera ?r - rover)
    (supports ?c - camera ?m - mode)
    (calibration_target ?c - camera ?o - objective)
    (calibrated ?c - camera ?r - rover)
    (visible_from ?o - objective ?w - waypoint)
    (have_image ?r - rover ?o - objective ?m - mode)

    (communicated_soil_data ?w - waypoint)
    (communicated_rock_data ?w - waypoint)
    (communicated_image_data ?o - objective ?m - mode))

  (:action navigate
    :parameters (?r - rover ?here ?there - waypoint)
    :precondition (and
      (can_traverse ?r ?here ?there)
      (available ?r)
      (at ?r ?here)
      (visible ?here ?there))
    :effect (and
      (not (at ?r ?here))
      (at ?r ?there)))

  (:action sample_soil
    :parameters (?r - rover ?s - store ?w - waypoint)
    :precondition (and
      (at ?r ?w)
      (at_soil_sample ?w)
      (equipped_for_soil_analysis ?r)
      (store_of ?s ?r)
      (empty ?s))
    :effect (and
      (not (empty ?s))
      (full ?s)
      (have_soil_analysis ?r ?w)
      (not (at_soil_sample ?w))))

  (:action sample_rock
    :parameters (?r - rover ?s - store ?w - waypoint)
    :precondition (and
      (at ?r ?w)
      (at_rock_sample ?w)
      (equipped_for_rock_analysis ?r)
      (store_of ?s ?r)
      (empty ?s))
    :effect (and
      (not (empty ?s))
      (full ?s)
      (have_rock_analysis ?r ?w)
      (not (at_rock_sample ?w))))

  ; Emptying the store does not lose the analysis.
  (:action drop
    :parameters (?r - rover ?s - store)
    :precondition (and
      (store_of ?s ?r)
      (full ?s))
    :effect (and
      (not (full ?s))
      (empty ?s)))

  (:action calibrate
    :parameters (?r - rover ?c - camera ?o - objective ?w - waypoint)
    :precondition (and
      (equipped_for_imaging ?r)
      (calibration_target ?c ?o)
      (at ?r ?w)
      (visible_from ?o ?w)
      (on_board ?c ?r))
    :effect (calibrated ?c ?r))

  (:action take_image
    :parameters (?r - rover ?w - waypoint ?o - objective ?c - camera ?m - mode)
    :precondition (and
      (calibrated ?c ?r)
      (on_board ?c ?r)
      (equipped_for_imaging ?r)
      (supports ?c ?m)
      (visible_from ?o ?w)
      (at ?r ?w))
    :effect (and
      (have_image ?r ?o ?m)
      (not (calibrated ?c ?r))))

  ; A message is one step, so rover and channel are free again when it ends.
  (:action communicate_soil_data
    :parameters (?r - rover ?l - lander ?w ?here ?there - waypoint)
    :precondition (and
      (at ?r ?here)
      (at_lander ?l ?there)
      (have_soil_analysis ?r ?w)
      (visible ?here ?there)
      (available ?r)
      (channel_free ?l))
    :effect (communicated_soil_data ?w))

  (:action communicate_rock_data
    :parameters (?r - rover ?l - lander ?w ?here ?there - waypoint)
    :precondition (and
      (at ?r ?here)
      (at_lander ?l ?there)
      (have_rock_analysis ?r ?w)
      (visible ?here ?there)
      (available ?r)
      (channel_free ?l))
    :effect (communicated_rock_data ?w))

  (:action communicate_image_data
    :parameters (?r - rover ?l - lander ?o - objective ?m - mode ?here ?there - waypoint)
    :precondition (and
      (at ?r ?here)
      (at_lander ?l ?there)
      (have_image ?r ?o ?m)
      (visible ?here ?there)
      (available ?r)
      (channel_free ?l))
    :effect (communicated_image_data ?o ?m)))
