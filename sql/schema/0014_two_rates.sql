-- Intervals within 0 and 1, and a test of two rates for counts of any size.

-- The 95 % interval (Wilson's) of a rate of so many out of so many, where messages are independent of each other.
create or replace macro marts.wilson_interval(successes, trials) as {
    'low': if(
        successes <= 0,
        0.0 / trials,
        (
            successes / trials + 1.9207 / trials
            - 1.96 * sqrt(greatest(0, successes / trials * (1 - successes / trials)) / trials + 0.9604 / (trials * trials))
        ) / (1 + 3.8415 / trials)
    ),
    'high': if(
        successes >= trials,
        trials / trials,
        (
            successes / trials + 1.9207 / trials
            + 1.96 * sqrt(greatest(0, successes / trials * (1 - successes / trials)) / trials + 0.9604 / (trials * trials))
        ) / (1 + 3.8415 / trials)
    )
};

-- How often chance alone sets two rates at least as far apart, on either side, where both are equal: the likelihood ratio of
-- the four counts (G-test), each half a success nearer to what is expected. Counts may be fractions.
create macro marts.two_rates_p(successes, trials, other_successes, other_trials) as marts.normal_two_sided_p(
    sqrt(2 * greatest(
        0,
        list_sum(list_transform(
            [{
                'expected': trials * (successes + other_successes) / (trials + other_trials),
                'other_expected': other_trials * (successes + other_successes) / (trials + other_trials)
            }],
            lambda means: list_sum(list_transform(
                [
                    [successes, means.expected],
                    [other_successes, means.other_expected],
                    [trials - successes, trials - means.expected],
                    [other_trials - other_successes, other_trials - means.other_expected]
                ]::double[][],
                lambda cell: if(
                    abs(cell[1] - cell[2]) <= 0.5,
                    0,
                    (cell[1] - 0.5 * sign(cell[1] - cell[2]))
                    * ln((cell[1] - 0.5 * sign(cell[1] - cell[2])) / cell[2])
                )
            ))
        ))
    ))
);
