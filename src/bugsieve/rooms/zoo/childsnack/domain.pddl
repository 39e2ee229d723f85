; Childsnack: sandwiches are made in the kitchen out of bread and content, put on trays, taken to
; the children and served. Portions free of gluten also go into ordinary sandwiches, and are then
; missing for the children who depend on them.
(define (domain childsnack)
  (:requirements :strips :typing)
  (:types child bread-portion content-portion sandwich tray place - object)
  (:constants kitchen - place)

  (:predicates
    (at_kitchen_bread ?b - bread-portion)
    (at_kitchen_content ?c - content-portion)
    (at_kitchen_sandwich ?s - sandwich)
    (no_gluten_bread ?b - bread-portion)
    (no_gluten_content ?c - content-portion)
    (no_gluten_sandwich ?s - sandwich)
    (notexist ?s - sandwich)            ; ?s has not been made yet
    (ontray ?s - sandwich ?t - tray)
    (at ?t - tray ?p - place)
    (allergic_gluten ?k - child)
    (not_allergic_gluten ?k - child)
    (waiting ?k - child ?p - place)
    (served ?k - child))

  (:action make_sandwich_no_gluten
    :parameters (?s - sandwich ?b - bread-portion ?c - content-portion)
    :precondition (and
      (at_kitchen_bread ?b)
      (at_kitchen_content ?c)
      (no_gluten_bread ?b)
      (no_gluten_content ?c)
      (notexist ?s))
    :effect (and
      (not (at_kitchen_bread ?b))
      (not (at_kitchen_content ?c))
      (at_kitchen_sandwich ?s)
      (no_gluten_sandwich ?s)
      (not (notexist ?s))))

  (:action make_sandwich
    :parameters (?s - sandwich ?b - bread-portion ?c - content-portion)
    :precondition (and
      (at_kitchen_bread ?b)
      (at_kitchen_content ?c)
      (notexist ?s))
    :effect (and
      (not (at_kitchen_bread ?b))
      (not (at_kitchen_content ?c))
      (at_kitchen_sandwich ?s)
      (not (notexist ?s))))

  (:action put_on_tray
    :parameters (?s - sandwich ?t - tray)
    :precondition (and
      (at_kitchen_sandwich ?s)
      (at ?t kitchen))
    :effect (and
      (not (at_kitchen_sandwich ?s))
      (ontray ?s ?t)))

  (:action serve_sandwich_no_gluten
    :parameters (?s - sandwich ?k - child ?t - tray ?p - place)
    :precondition (and
      (allergic_gluten ?k)
      (ontray ?s ?t)
      (waiting ?k ?p)
      (no_gluten_sandwich ?s)
      (at ?t ?p))
    :effect (and
      (not (ontray ?s ?t))
      (served ?k)))

  (:action serve_sandwich
    :parameters (?s - sandwich ?k - child ?t - tray ?p - place)
    :precondition (and
      (not_allergic_gluten ?k)
      (waiting ?k ?p)
      (ontray ?s ?t)
      (at ?t ?p))
    :effect (and
      (not (ontray ?s ?t))
      (served ?k)))

  (:action move_tray
    :parameters (?t - tray ?here ?there - place)
    :precondition (at ?t ?here)
    :effect (and
      (not (at ?t ?here))
      (at ?t ?there))))
