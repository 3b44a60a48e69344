-- What tests of significance need, for marts and analysts alike. DuckDB has no distributions of its own.

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
