//! Refills of the buffer, and what is taken from it.

use super::*;

/// The kind of the next refill.
fn needed_refill(queue: &Queue, uses_credit: bool) -> Option<JobKind> {
    let options = queue.needed_refill(uses_credit)?;
    Some(options.kind())
}

#[test]
fn refills_are_interrupted_if_no_worker_is_idle_and_resumed_later() {
    let mut queue = queue(10, 5, 3);
    let mut begin = || match queue.next() {
        Some(Work::Refill(refill)) => refill,
        _ => panic!("expected a refill"),
    };
    let (first, mut second) = (begin(), begin());
    let ordinary = request(Class::Ordinary);
    ordinary.push(1, &mut queue);
    assert!(
        !second.options.limits.cancel.is_cancelled(),
        "one worker is idle"
    );
    ordinary.push(1, &mut queue);
    assert!(
        second.options.limits.cancel.is_cancelled() && !first.options.limits.cancel.is_cancelled()
    );
    second.state = Some(Cube::solved());
    queue.refill_ended(&second, (Err(CANCELLED), SECOND));
    assert_eq!(next_of(&mut queue, &[&ordinary], SECOND), Some(0));
    assert_eq!(next_of(&mut queue, &[&ordinary], SECOND), Some(0));
    let Some(Work::Refill(resumed)) = queue.next() else {
        panic!("expected a refill");
    };
    assert!(resumed.state == second.state);
    assert!(first.state.is_none());
    // Without credit a refill gives way to streams, too.
    let idle = queue.config.workers - queue.running_refills.len();
    request(Class::Stream).push(idle + 1, &mut queue);
    assert!(resumed.options.limits.cancel.is_cancelled());
}

#[test]
fn jobs_of_all_classes_interrupt_refills_except_that_bulk_jobs_spare_those_with_credit() {
    for (class, credit, is_interrupted) in [
        (Class::Ordinary, Duration::ZERO, true),
        (Class::Large, Duration::ZERO, true),
        (Class::Stream, Duration::ZERO, true),
        (Class::Ordinary, SECOND, true),
        (Class::Large, SECOND, false),
        (Class::Stream, SECOND, false),
    ] {
        let mut queue = queue(10, 9, 1);
        queue.costs.record(kind(2), SECOND);
        queue.refill_credit = credit;
        let uses_credit = !credit.is_zero();
        if uses_credit {
            // Credit is used only while bulk jobs wait.
            request(Class::Stream).push(1, &mut queue);
        }
        let Some(Work::Refill(refill)) = queue.next() else {
            panic!("expected a refill");
        };
        assert_eq!(queue.running_refills[0].uses_credit, uses_credit);
        request(class).push(1, &mut queue);
        assert_eq!(
            refill.options.limits.cancel.is_cancelled(),
            is_interrupted,
            "{class:?} {credit:?}"
        );
    }
}

/// A scramble with an effort level and a number of turns.
fn numbered(turns: usize, level: u8) -> Scramble {
    let mut scramble = scramble(level);
    scramble.sequence = "U ".repeat(turns).parse().unwrap();
    scramble
}

#[test]
fn a_full_buffer_drops_the_oldest_scramble_of_the_lowest_level_that_it_has() {
    // The levels in the buffer, one of them used up by requests, the level of the next scramble, and what is left, by
    // level and number.
    for (levels, used_up, finished, expected) in [
        (&[2, 2, 8][..], None, 8, &[(2, 1), (8, 2), (8, 3)][..]),
        (&[2, 8, 8], Some(2), 8, &[(8, 1), (8, 2), (8, 3)]),
        (&[2, 8, 8, 8], Some(2), 8, &[(8, 2), (8, 3), (8, 4)]),
        (&[2, 2, 8, 8], Some(8), 4, &[(2, 0), (2, 1), (4, 4)]),
    ] {
        let mut queue = queue(10, 3, 1);
        let Some(Work::Refill(refill)) = queue.next() else {
            panic!("expected a refill");
        };
        for (number, &level) in levels.iter().enumerate() {
            queue.ready.push(numbered(number, level));
        }
        if let Some(level) = used_up {
            let count = levels.iter().filter(|&&other| other == level).count();
            let taken = queue.ready.take(kind(level).effort, count);
            assert!(taken.iter().all(|taken| taken.effort.get() == level));
        }
        let scramble = numbered(levels.len(), finished);
        queue.refill_ended(&refill, (Ok(scramble), SECOND));
        assert!(queue.load().ready <= queue.load().buffer, "{levels:?}");
        let left = queue.ready.take(Effort::MIN, 10).into_iter();
        let left = left.map(|left| (left.effort.get(), left.sequence.tokens().len()));
        assert_eq!(left.collect::<Vec<_>>(), expected, "{levels:?}");
    }
}

#[test]
fn refills_get_a_twentieth_of_the_time_of_streams() {
    let mut queue = queue(10, 5, 1);
    let stream = request(Class::Stream);
    let begin = |queue: &mut Queue| match queue.next() {
        Some(Work::Refill(refill)) => refill,
        _ => panic!("expected a refill"),
    };
    let first = begin(&mut queue);
    queue.refill_ended(&first, FAILED);
    queue.costs.record(kind(2), 2 * SECOND);
    queue.failed_refills = 0;
    let mut jobs = 0;
    let next = |queue: &mut Queue| {
        stream.push(1, queue);
        next_of(queue, &[&stream], SECOND)
    };
    while next(&mut queue).is_some() {
        jobs += 1;
        assert!(jobs < 100, "the buffer is never refilled");
    }
    assert_eq!(jobs, 40, "twenty times two seconds");
    // Streams do not interrupt it, but ordinary requests do.
    queue.refill_credit = 2 * SECOND;
    let refill = begin(&mut queue);
    assert_eq!(refill.options.effort, kind(2).effort);
    stream.push(1, &mut queue);
    assert!(!refill.options.limits.cancel.is_cancelled());
    request(Class::Ordinary).push(1, &mut queue);
    assert!(refill.options.limits.cancel.is_cancelled());
}

#[test]
fn scrambles_with_just_enough_effort_leave_the_buffer_first_and_the_oldest_of_them() {
    let mut queue = queue(10, 5, 1);
    for (number, level) in [2, 8, 2, 8, 4].into_iter().enumerate() {
        queue.ready.push(numbered(number, level));
    }
    let mut take = |level: u8, max: usize| {
        let taken = queue.ready.take(kind(level).effort, max).into_iter();
        let facts = taken.map(|taken| (taken.effort.get(), taken.sequence.tokens().len()));
        facts.collect::<Vec<_>>()
    };
    assert!(take(9, 5).is_empty());
    assert_eq!(take(4, 2), [(4, 4), (8, 1)]);
    assert_eq!(take(1, 2), [(2, 0), (2, 2)]);
    assert_eq!(take(3, 5), [(8, 3)]);
    assert!(take(1, 5).is_empty());
    // The levels that have been emptied do not hide higher ones.
    queue.ready.push(scramble(8));
    queue.ready.remove_least();
    assert_eq!(queue.ready.len(), 0);
}

#[test]
fn only_standard_scrambles_for_the_engine_of_the_buffer_and_no_streams_come_from_it() {
    let mut queue = queue(10, 5, 1);
    (0..3).for_each(|_| queue.ready.push(scramble(8)));
    let engine = queue.engine.clone().unwrap();
    let mine = JobOptions::new(engine, kind(8).effort, Client::default());
    assert_eq!(queue.count_ready(&mine), 3);
    let streamed = JobOptions {
        class: Class::Stream,
        ..mine.clone()
    };
    let padded = JobOptions {
        recipe: Recipe::Padded,
        ..mine
    };
    for other in [streamed, padded, of(Client::default(), Class::Ordinary)] {
        assert_eq!(queue.count_ready(&other), 0);
    }
}

#[test]
fn large_requests_earn_credit_for_refills_and_ordinary_ones_do_not() {
    let ended = |class| {
        let mut queue = queue(10, 5, 1);
        queue.costs.record(kind(2), 20 * SECOND);
        request(class).push(1, &mut queue);
        queue.config.buffer = 0;
        let Some(Work::Job(job)) = queue.next() else {
            panic!("there is no job");
        };
        queue.job_ended(&job.options, Some(20 * SECOND));
        queue.refill_credit
    };
    let credit = [Class::Stream, Class::Large, Class::Ordinary].map(ended);
    assert_eq!(credit, [SECOND, SECOND, Duration::ZERO]);
}

#[test]
fn the_credit_for_refills_is_limited_to_two() {
    let mut queue = queue(10, 5, 1);
    queue.costs.record(kind(2), SECOND);
    (0..5).for_each(|_| queue.ready.push(scramble(2)));
    let stream = request(Class::Stream);
    for _ in 0..200 {
        stream.push(1, &mut queue);
        assert_eq!(next_of(&mut queue, &[&stream], SECOND), Some(0));
    }
    assert_eq!(queue.refill_credit, 2 * SECOND);
}

#[test]
fn the_buffer_first_gets_a_set_of_the_busy_kind_and_then_the_idle_kind() {
    let mut queue = queue(10, 9, 1);
    let mut refill = || {
        let Some(Work::Refill(refill)) = queue.next() else {
            return None;
        };
        let level = refill.options.effort.get();
        let outcome = (Ok(scramble(level)), SECOND);
        queue.refill_ended(&refill, outcome);
        Some(level)
    };
    let begun: Vec<u8> = (0..16).filter_map(|_| refill()).collect();
    assert_eq!(begun, [[2; 7].as_slice(), &[8; 9]].concat());
    // A failed refill is not tried again before the next request.
    queue.ready.take(kind(8).effort, 1);
    let Some(Work::Refill(refill)) = queue.next() else {
        panic!("expected a refill");
    };
    queue.refill_ended(&refill, FAILED);
    assert!(queue.needed_refill(false).is_none());
    queue.failed_refills = 0;
    assert_eq!(needed_refill(&queue, false), Some(kind(8)));
    assert_eq!(queue.ready.len(), 8);
    assert_eq!(queue.ready.count(kind(8).effort), 8);
}

#[test]
fn credit_is_not_spent_while_ordinary_requests_wait() {
    let mut queue = queue(100, 9, 1);
    queue.costs.record(kind(2), SECOND);
    let [ordinary, stream] = [Class::Ordinary, Class::Stream].map(request);
    ordinary.push(6, &mut queue);
    stream.push(2, &mut queue);
    queue.refill_credit = 2 * SECOND;
    // Those of streams have their turns, but refills have none.
    let all = [&ordinary, &stream];
    let order = [(); 8].map(|()| next_of(&mut queue, &all, Duration::ZERO));
    let expected = [0, 0, 0, 1, 0, 0, 0].map(Some);
    assert_eq!(order[..7], expected);
    assert_eq!(order[7], None, "refills go before the last stream");
}

#[test]
fn refills_use_up_their_credit() {
    let mut queue = queue(10, 9, 1);
    queue.costs.record(kind(2), SECOND);
    let stream = request(Class::Stream);
    queue.refill_credit = 2 * SECOND;
    let begun = [(); 3].map(|()| {
        stream.push(1, &mut queue);
        next_of(&mut queue, &[&stream], Duration::ZERO)
    });
    assert_eq!(begun, [None, None, Some(0)]);
    assert_eq!(queue.refill_credit, Duration::ZERO);
}

#[test]
fn refills_with_credit_fill_the_whole_buffer() {
    let mut queue = queue(10, 9, 1);
    for expected in (0..9).map(|_| Some(kind(2))).chain([None]) {
        assert_eq!(
            needed_refill(&queue, true),
            expected,
            "{}",
            queue.ready.len()
        );
        queue.ready.push(scramble(2));
    }
}

#[test]
fn running_refills_count_for_the_buffer() {
    let mut queue = queue(10, 9, 20);
    let begun: Vec<u8> = std::iter::from_fn(|| match queue.next()? {
        Work::Refill(refill) => Some(refill.options.effort.get()),
        Work::Job(_) => panic!("there is no job"),
    })
    .take(20)
    .collect();
    assert_eq!(begun, [[2; 7].as_slice(), &[8; 2]].concat());
}

#[test]
fn refills_estimate_the_time_of_scrambles_of_their_level() {
    let mut queue = queue(10, 9, 1);
    let Some(Work::Refill(refill)) = queue.next() else {
        panic!("expected a refill");
    };
    assert_eq!(queue.min_time(1, kind(2)), Duration::ZERO);
    let made = scramble(2);
    queue.refill_ended(&refill, (Ok(made), SECOND));
    assert_eq!(queue.min_time(3, kind(2)), 3 * SECOND);
    assert_eq!(queue.costs.estimate(kind(2)), SECOND);
}

#[test]
fn a_closed_queue_has_no_buffer_but_finishes_its_jobs() {
    let mut queue = queue(10, 9, 3);
    queue.ready.push(scramble(2));
    let refills = [(); 2].map(|()| match queue.next() {
        Some(Work::Refill(refill)) => refill,
        _ => panic!("expected a refill"),
    });
    let waiting = [Class::Ordinary, Class::Stream].map(request);
    waiting.iter().for_each(|one| one.push(1, &mut queue));
    queue.close();
    assert_eq!(queue.load().ready, 0);
    for refill in refills {
        assert!(refill.options.limits.cancel.is_cancelled());
        // It may have finished nevertheless.
        let made = scramble(2);
        queue.refill_ended(&refill, (Ok(made), SECOND));
    }
    assert_eq!(queue.load().ready, 0);
    let all = [&waiting[0], &waiting[1]];
    queue.refill_credit = SECOND;
    let begun = [(); 2].map(|()| next_of(&mut queue, &all, SECOND));
    assert_eq!(begun, [Some(0), Some(1)]);
    assert!(queue.next().is_none(), "no refill");
}

#[test]
fn there_is_a_buffer_as_soon_as_there_is_an_engine_and_a_new_engine_tries_again() {
    let mut queue = Queue::new(config(10, 5, 1));
    assert_eq!(queue.load().buffer, 0);
    assert!(queue.next().is_none());
    queue.fill_buffer(unused());
    assert_eq!(queue.load().buffer, 5);
    for _ in 0..5 {
        let Some(Work::Refill(refill)) = queue.next() else {
            panic!("expected a refill");
        };
        queue.refill_ended(&refill, FAILED);
    }
    assert!(queue.next().is_none(), "all have failed");
    queue.ready.push(scramble(8));
    queue.fill_buffer(unused());
    assert_eq!(queue.load().ready, 1);
    assert!(matches!(queue.next(), Some(Work::Refill(_))));
}

#[test]
fn the_end_of_a_refill_leaves_the_others() {
    let mut queue = queue(10, 3, 3);
    let [first, second, third] = [(); 3].map(|()| match queue.next() {
        Some(Work::Refill(refill)) => refill,
        _ => panic!("expected a refill"),
    });
    queue.refill_ended(&second, (Err(CANCELLED), SECOND));
    let left = queue.running_refills.iter();
    let left: Vec<u64> = left.map(|refill| refill.options.request).collect();
    assert_eq!(left, [first.options.request, third.options.request]);
}

#[test]
fn refills_do_not_use_up_the_turns_of_ordinary_requests() {
    let mut queue = queue(10, 9, 1);
    queue.costs.record(kind(2), SECOND);
    queue.refill_credit = 2 * SECOND;
    let [stream, ordinary] = [Class::Stream, Class::Ordinary].map(request);
    let all = [&stream, &ordinary];
    stream.push(2, &mut queue);
    let next = |queue: &mut Queue| next_of(queue, &all, Duration::ZERO);
    assert_eq!([next(&mut queue), next(&mut queue)], [None, None]);
    ordinary.push(4, &mut queue);
    let order = [(); 5].map(|()| next(&mut queue));
    assert_eq!(order, [1, 1, 1, 0, 1].map(Some));
}
