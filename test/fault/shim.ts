import { constants } from "node:fs";
import { appendFile, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServerProcess, startProcess } from "../support/process.ts";

/* System calls that fail when a test wants them to: test/fault/shim/shim.c says how. */

const SOURCE = join(import.meta.dir, "shim", "shim.c");
const compiler = Bun.which("cc") ?? Bun.which("gcc");
const known = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);

/** For the titles of tests that need the shim: a run without it says so. */
export const shimNote = compiler && known ? "" : " (SKIPPED: no C compiler, or no Linux)";

/** With CI set, a missing compiler fails instead. */
export const withoutShim = !(known && (compiler || process.env.CI === "true"));

export const CLASSES = ["open", "read", "write", "fsync", "rename", "unlink", "socket"] as const;
export type CallClass = (typeof CLASSES)[number];

/** Numbers of Linux, on all processors. */
export const ERRORS = { EIO: 5, ENOMEM: 12, EMFILE: 24, ENOSPC: 28 } as const;
export type ErrorName = keyof typeof ERRORS;

export interface ShimmedProcess extends ServerProcess {
	/**
	 * The `nth` call of a class from now on fails: one on what lies in the data directory, or a socket's. Reads of the database's own files
	 * never fail: the driver takes no notice, and answers out of whatever the page's buffer held (docs/decisions/0038).
	 */
	arm(of: CallClass, error: ErrorName, nth: number): Promise<void>;
	/** No call fails any more. How many of the class there were, and whether one failed. */
	disarm(): Promise<{ readonly seen: number; readonly failed: boolean }>;
	/** Writes a text between the changes that happened before now and those after. */
	mark(text: string): Promise<void>;
	/** The service's own process. */
	pid(): Promise<number>;
}

interface Shim {
	/** What the program is started under. */
	readonly under: readonly string[];
	/** Gives an order, and what was reported of it. @throws Error where the program ended */
	order(line: string, hasEnded: () => string | undefined): Promise<string>;
}

/**
 * The shim around a program.
 * @param folder where calls on files count
 * @param record where every change of a file is written down, from the first on; `recordOf` reads it
 */
export async function shimAround(folder: string, record?: string): Promise<Shim> {
	const own = await mkdtemp(join(tmpdir(), "svc-shim-"));
	const [shim, orders, reports] = [join(own, "shim"), join(own, "orders"), join(own, "reports")];
	const compiled = Bun.spawnSync([compiler ?? "cc", "-O1", "-o", shim, SOURCE]);
	if (!compiled.success) throw new Error(`the shim does not compile: ${compiled.stderr}`);
	const recording = record === undefined ? [] : ["env", `SHIM_RECORD=${record}`];
	let answered = 0;
	return {
		under: [...recording, shim, folder, orders, reports],
		async order(line, hasEnded) {
			// Nobody reads the orders of a program that ended, and an ordinary open would wait for ever.
			await appendFile(orders, `${line}\n`, { flag: constants.O_WRONLY | constants.O_NONBLOCK }).catch((cause) => {
				throw new Error(`the program ended: ${hasEnded()}`, { cause });
			});
			answered += 1;
			const place = answered;
			for (;;) {
				const lines = (await readFile(reports, "utf8")).split("\n");
				if (lines.length > place) return lines[place - 1] ?? "";
				const said = hasEnded();
				if (said !== undefined) throw new Error(`the program ended: ${said}`);
				await Bun.sleep(1);
			}
		},
	};
}

/** @param record as {@link shimAround} has it */
export async function startShimmed(env: Readonly<Record<string, string>>, record?: string): Promise<ShimmedProcess> {
	const shim = await shimAround(env.SVC_DATA_DIR ?? "", record);
	const server = await startProcess(env, { under: shim.under });
	const order = (line: string) =>
		shim.order(line, () => (server.process.exitCode === null ? undefined : server.stderr()));

	return {
		...server,
		async arm(of, error, nth) {
			await order(`arm ${of} ${ERRORS[error]} ${nth}${of === "read" ? " /svc.db" : ""}`);
		},
		async disarm() {
			const [seen, failed] = (await order("disarm")).split(" ").map(Number);
			return { seen: seen ?? 0, failed: failed !== 0 };
		},
		async mark(text) {
			await order(`mark ${text}`);
		},
		async pid() {
			const shimPid = server.process.pid;
			return Number((await readFile(`/proc/${shimPid}/task/${shimPid}/children`, "utf8")).split(" ")[0]);
		},
	};
}
