import { appendFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";

/* What all benchmarks measure with, and how they show it. */

/** Repeated measurements of one thing. */
export interface Spread {
	readonly median: number;
	readonly min: number;
	readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
	const below = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
	return { median: (middle + below) / 2, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** The value that this share of them does not exceed. */
export function shareBelow(values: readonly number[], share: number): number {
	const sorted = [...values].sort((one, other) => one - other);
	return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Round by round: whatever else the machine does in a round slows both sides down. */
export function ratioOf(numerators: readonly number[], denominators: readonly number[]): Spread {
	return spreadOf(numerators.map((value, round) => value / (denominators[round] ?? Number.NaN)));
}

/** Runs the sides in turn, A B A B, and gives each side's measurements in the order of the rounds. */
export async function interleaved<Side extends string, Measured>(
	rounds: number,
	sides: Readonly<Record<Side, (round: number) => Promise<Measured>>>,
): Promise<Record<Side, Measured[]>> {
	const names = Object.keys(sides) as Side[];
	const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Side, Measured[]>;
	for (let round = 0; round < rounds; round++) {
		for (const name of names) measured[name].push(await sides[name](round));
	}
	return measured;
}

/** `1.12 (1.05–1.30)` */
export function shown({ median, min, max }: Spread, digits = 2): string {
	return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}

export function megabytes(bytes: number): string {
	return `${Math.round(bytes / 1e6)} MB`;
}

export function verdict(met: boolean): string {
	return met ? "met" : "MISSED";
}

/** A table as it was printed; the first cell of a row is its name. */
export interface Table {
	readonly title: string;
	readonly head: readonly string[];
	readonly rows: readonly (readonly string[])[];
}

/** Where printed tables are kept as well, a line of JSON each, for {@link file://./readme.ts}. */
export const TABLES_FILE = "SVC_BENCH_TABLES";

/** Columns as wide as their widest cell; the first is text, the others are numbers. */
export function printTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
	const file = process.env[TABLES_FILE];
	if (file) appendFileSync(file, `${JSON.stringify({ title, head, rows } satisfies Table)}\n`);
	const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? "").length)));
	const line = (cells: readonly string[]) =>
		cells
			.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
			.join("  ")
			.trimEnd();
	console.log(`\n${title}`);
	console.log(line(head));
	console.log(widths.map((width) => "-".repeat(width)).join("  "));
	for (const row of rows) console.log(line(row));
}

const TICKS_PER_SECOND = 100;

/** User and system time of all threads so far, in steps of 10 ms. */
export async function cpuSeconds(pid: number): Promise<number> {
	const { own } = await ticksOf(pid);
	return own / TICKS_PER_SECOND;
}

/** The same with the children, those that have ended too. */
export async function familyCpuSeconds(pid: number): Promise<number> {
	const members = await Promise.all((await familyOf(pid)).map((member) => ticksOf(member).catch(() => NOTHING)));
	return members.reduce((sum, { own, ended }) => sum + own + ended, 0) / TICKS_PER_SECOND;
}

const NOTHING = { own: 0, ended: 0 };

/** What a process has used, and its children that have ended. */
async function ticksOf(pid: number): Promise<typeof NOTHING> {
	const stat = await readFile(`/proc/${pid}/stat`, "utf8");
	// The name in parentheses may hold spaces; the fields after it are numbered from 3 (proc_pid_stat(5)).
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	const sum = (...indices: readonly number[]) => indices.reduce((all, index) => all + Number(fields[index]), 0);
	return { own: sum(11, 12), ended: sum(13, 14) };
}

/** Both in bytes. */
interface Resident {
	readonly now: number;
	/** Since the start, or since {@link forgetPeak}. */
	readonly peak: number;
}

export async function residentOf(pid: number): Promise<Resident> {
	const status = await readFile(`/proc/${pid}/status`, "utf8");
	const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0);
	return { now: kilobytes("VmRSS") * 1_024, peak: kilobytes("VmHWM") * 1_024 };
}

/** Starts the peak of a process anew (proc_pid_clear_refs(5)). */
export async function forgetPeak(pid: number): Promise<void> {
	await writeFile(`/proc/${pid}/clear_refs`, "5");
}

async function familyOf(pid: number): Promise<number[]> {
	const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
	const lists = await Promise.all(
		threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, "utf8").catch(() => "")),
	);
	const children = lists.join(" ").split(" ").map(Number).filter(Boolean);
	const families = await Promise.all(children.map(familyOf));
	return [pid, ...families.flat()];
}

async function residentOfFamily(pid: number): Promise<number> {
	const members = await familyOf(pid);
	const sizes = await Promise.all(members.map((member) => residentOf(member).catch(() => ({ now: 0 }))));
	return sizes.reduce((sum, { now }) => sum + now, 0);
}

const SAMPLE_EVERY_MS = 4;

interface Peak<T> {
	readonly result: T;
	/** Resident bytes before the work began, children included. */
	readonly idle: number;
	/** Most resident bytes while it went on, children included. */
	readonly peak: number;
}

/**
 * The kernel's own peak of the process, or the sum over it and its children where that is more; the sum is sampled, and counts shared
 * pages once for each.
 */
export async function peakDuring<T>(pid: number, work: () => Promise<T>): Promise<Peak<T>> {
	await forgetPeak(pid);
	const idle = await residentOfFamily(pid);
	let [peak, working] = [idle, true];
	const sampling = (async () => {
		while (working) {
			peak = Math.max(peak, await residentOfFamily(pid));
			await Bun.sleep(SAMPLE_EVERY_MS);
		}
	})();
	try {
		const result = await work();
		return { result, idle, peak: Math.max(peak, (await residentOf(pid)).peak) };
	} finally {
		working = false;
		await sampling;
	}
}
