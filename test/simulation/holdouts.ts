/**
 * How often `uplift` is wrong, and what it finds: `npm run simulate:holdouts -- [alike|others|power] [holdouts]`. `alike` draws 500 holdouts
 * without an effect, looks at each on every day, and prints what each seed gave; it fails if more than 35 have a winner. `others` does
 * the same with other kinds of people and shares; `power` has an effect of 2%, 5% and 10%, and looks once a week.
 */
import { ALIKE, DAILY, LIFTS, simulateHoldouts, SIZES, WEEKLY, type Told, type World } from './uplift.js';

const [what = 'alike', number] = process.argv.slice(2);
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const seedsOf = (holdouts: number): number[] => Array.from({ length: holdouts }, (_, n) => n + 1);

function sayEach(title: string, all: readonly Told[]): void {
  say(`${title}:`);
  for (const { seed, winner } of all)
    say(
      winner === undefined
        ? `  seed ${seed}: none`
        : `  seed ${seed}: ${winner.code}, ${winner.metric}, day ${winner.day + 1}`,
    );
}

/** The most winners among holdouts without an effect: 5% of them and two standard errors, rounded as 34.7 of 500 is. */
const most = (holdouts: number): number =>
  Math.round(0.05 * holdouts + 2 * Math.sqrt(0.05 * 0.95 * holdouts));

/** Wilson's 95% interval of a share, in percent. */
function interval(found: number, of: number): string {
  const [share, z] = [found / of, 1.96];
  const middle = (share + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const half = (z / (1 + (z * z) / of)) * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  return `${(100 * Math.max(0, middle - half)).toFixed(1)}% to ${(100 * (middle + half)).toFixed(1)}%`;
}

async function alike(worlds: readonly World[], holdouts: number): Promise<void> {
  for (const world of worlds) {
    const [all = []] = await simulateHoldouts(world, seedsOf(holdouts), { looks: DAILY });
    sayEach(world.name, all);
    const winners = all.filter(({ winner }) => winner !== undefined).length;
    if (winners > most(holdouts)) process.exitCode = 1;
    say(
      `${world.name}: ${winners} of ${holdouts} have a winner, and at most ${most(holdouts)} may; ${interval(winners, holdouts)}`,
    );
  }
}

async function power(holdouts: number): Promise<void> {
  for (const world of SIZES) {
    const told = await simulateHoldouts(world, seedsOf(holdouts), { lifts: LIFTS, looks: WEEKLY });
    for (const [nth, lift] of LIFTS.entries()) {
      const all = told[nth] ?? [];
      const name = `${world.name}, ${lift * 100}%`;
      sayEach(name, all);
      const count = (code: string): number => all.filter(({ winner }) => winner?.code === code).length;
      say(
        `${name}: ${count('more')} of ${holdouts} found, ${interval(count('more'), holdouts)}; ${count('fewer')} wrong`,
      );
    }
  }
}

if (what === 'power') await power(Number(number ?? 100));
else if (what === 'others') await alike(ALIKE.slice(1), Number(number ?? 200));
else await alike(ALIKE.slice(0, 1), Number(number ?? 500));
