import type { Outcome } from "./lanes.ts";
import type { Task } from "./plan.ts";

/* What is told at the end: of a long run it may be all that is kept. */

/** So many files may have failed since the machine was too busy; more are no chance. */
const AGAIN_MAX = 5;
const LONGEST = 12;

/** Minutes and seconds. */
export function clock(ms: number): string {
	const seconds = Math.round(ms / 1_000);
	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** @param steadied how many failures did not come again */
export function tally(outcomes: readonly Outcome[], steadied: number) {
	const sum = (count: (outcome: Outcome) => number) => outcomes.reduce((all, outcome) => all + count(outcome), 0);
	return {
		passed: sum(({ passed }) => passed) + steadied,
		failed: sum(({ failed }) => failed) - steadied,
		skipped: sum(({ skipped }) => skipped),
	};
}

/** Each failure once more, with what was printed before it. */
export function toldFailures(outcomes: readonly Outcome[]): readonly string[] {
	return outcomes.flatMap(({ task, failures }) =>
		failures.flatMap(({ file, lines }) => [`== FAILED: ${file || task.name} (${task.name})`, ...lines]),
	);
}

/** Where the time went: by the clock for files, by the processor for processes. */
export function longest(outcomes: readonly Outcome[]): readonly string[] {
	const files = outcomes.flatMap(({ seconds }) => [...seconds]);
	const processes = outcomes.map(({ task, processorSeconds }) => [task.name, processorSeconds] as const);
	const first = (all: readonly (readonly [string, number])[]) =>
		all
			.toSorted(([, one], [, other]) => other - one)
			.slice(0, LONGEST)
			.map(([name, seconds]) => `${seconds.toFixed(1).padStart(8)}  ${name}`);
	const processor = processes.reduce((sum, [, seconds]) => sum + seconds, 0);
	return [
		"== the files that took longest, in seconds by the clock",
		...first(files),
		`== the processes that worked most, in seconds of processor, of ${Math.round(processor)} in all`,
		...first(processes),
	];
}

/**
 * Runs the files whose tests failed once more, each alone, where there are few: a test may fail since the machine was too busy with the others.
 * Such a test waits for a time where it should wait for what it is about, and is named.
 * @returns how many failures did not come again
 */
export async function steadyOf(
	outcomes: readonly Outcome[],
	say: (line: string) => void,
	run: (task: Task) => Promise<Outcome>,
): Promise<number> {
	const broken = outcomes.flatMap(({ task, failures }) =>
		[...Map.groupBy(failures, ({ file }) => file)]
			.filter(([file, own]) => task.alone && task.files.includes(file) && own.every(({ isOfTest }) => isOfTest))
			.map(([file, own]) => ({ file, task, count: own.length })),
	);
	if (broken.length > AGAIN_MAX) return 0;
	let steadied = 0;
	for (const { file, task, count } of broken) {
		say(`== once more, alone: ${file}`);
		const outcome = await run({ ...task, name: file, files: [file], command: [...(task.alone ?? []), `./${file}`] });
		if (outcome.failed === 0) {
			say(`UNSTEADY: failed beside other tests and passed alone: ${file}`);
			steadied += count;
		} else for (const line of toldFailures([outcome])) say(line);
	}
	return steadied;
}
