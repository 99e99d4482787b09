use super::*;

#[test]
fn a_body_of_zero_size_or_without_numbers_is_refused() {
    type Spoil = fn(&mut BodyBuilder, f32);
    let fields: [Spoil; 13] = [
        |b, v| b.radius = v,
        |b, v| b.height = v,
        |b, v| b.knee = v,
        |b, v| b.step_up = v,
        |b, v| b.step_down = v,
        |b, v| b.climb = v,
        |b, v| b.slide_control = v,
        |b, v| b.air_control = v,
        |b, v| b.slide_speed = v,
        |b, v| b.climb_speed = v,
        |b, v| b.max_slope_degrees = f64::from(v),
        |b, v| b.jump_speed = v,
        |b, v| b.terminal_speed = v,
    ];
    for (field, spoil) in fields.iter().enumerate() {
        for bad in [f32::NAN, f32::INFINITY, -1.0, 1e30] {
            let mut builder = Body::builder();
            spoil(&mut builder, bad);
            assert!(builder.build().is_err(), "field {field} took {bad}");
        }
    }
    assert!(BodyBuilder { radius: 0.0, ..Body::builder() }.build().is_err());
    assert!(BodyBuilder { height: 0.0, ..Body::builder() }.build().is_err());
    assert!(BodyBuilder { knee: 1.9, ..Body::builder() }.build().is_err());
}

#[test]
fn the_steepness_limit_never_lets_steeper_ground_pass() {
    for degrees in 0..=90 {
        let builder = BodyBuilder { max_slope_degrees: f64::from(degrees), ..Body::builder() };
        let body = builder.build().unwrap();
        let limit = f64::from(body.steepness_limit);
        assert!(limit / 32.0 <= body.max_slope_tan(), "{degrees}");
        assert!(limit == 254.0 || (limit + 1.0) / 32.0 > body.max_slope_tan(), "{degrees}");
    }
}
