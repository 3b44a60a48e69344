-- Macros for tests of significance, for marts and analysts alike. DuckDB has no distributions of its own.

-- The complementary error function of x >= 0, by its rational Chebyshev approximation: right to seven digits.
create macro marts.erfc(x) as
    1 / (1 + x / 2) * exp(
        list_reduce(
            [
                0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807,
                -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223
            ]::double[],
            lambda total, coefficient: total / (1 + x / 2) + coefficient
        ) - x * x
    );

-- How often chance alone is as far from zero as z, on either side, where it is normal.
create macro marts.normal_two_sided_p(z) as marts.erfc(abs(z) / sqrt(2));

-- How often chance alone is as large as x, where it is chi-squared with so many degrees of freedom.
create macro marts.chi_squared_p(x, freedom) as case
    when freedom is null then null
    when freedom % 2 = 0
    then exp(-x / 2) * list_sum(
        list_transform(range(freedom // 2), lambda i: pow(x / 2, i) / gamma(i + 1))
    )
    else marts.erfc(sqrt(x / 2)) + exp(-x / 2) * coalesce(
        list_sum(
            list_transform(range(1, (freedom + 1) // 2), lambda i: pow(x / 2, i - 0.5) / gamma(i + 0.5))
        ),
        0
    )
end;

-- The z below which a share of p >= 0.5 lies, where it is normal: Hastings' rational approximation, right to 0.0005.
create macro marts.normal_quantile(p) as
    sqrt(-2 * ln(1 - p))
    - (2.515517 + 0.802853 * sqrt(-2 * ln(1 - p)) + 0.010328 * -2 * ln(1 - p))
    / (
        1 + 1.432788 * sqrt(-2 * ln(1 - p)) + 0.189269 * -2 * ln(1 - p)
        + 0.001308 * pow(sqrt(-2 * ln(1 - p)), 3)
    );

-- How often chance alone ever shows such a difference, however often one looks (mixture sequential probability ratio test):
-- a difference with that variance, where true differences spread around zero with the standard deviation `scale`.
create macro marts.sequential_p(difference, variance, scale) as case
    when difference is not null and scale > 0 and variance > 0 then least(
        1,
        sqrt(1 + scale * scale / variance)
        * exp(-scale * scale * difference * difference / (2 * variance * (variance + scale * scale)))
    )
end;

-- Half the width of the confidence sequence of that test: 1 - alpha of them hold the true difference at every look.
create macro marts.sequential_half_width(variance, scale, alpha) as sqrt(
    variance * (1 + variance / (scale * scale)) * (ln(1 + scale * scale / variance) - 2 * ln(alpha))
);

-- How often chance alone ever splits people so unlike the intended shares, however often one looks. The alternative is a
-- Dirichlet distribution around the shares that weighs as much as 100 people.
create macro marts.sequential_split_p(counts, shares) as case
    when list_sum(counts) > 0 then least(
        1,
        exp(
            lgamma(100 + list_sum(counts)) - lgamma(100)
            + list_sum(
                list_transform(
                    list_zip(counts, shares),
                    lambda arm: lgamma(100 * arm[2]) - lgamma(100 * arm[2] + arm[1]) + arm[1] * ln(arm[2])
                )
            )
        )
    )
end;
