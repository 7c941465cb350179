import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const path = [process.env.PROMTOOL, Bun.which("promtool")].find((one) => typeof one === "string" && existsSync(one));

/** For the titles of tests that need it: a run without it says so. */
export const promtoolNote = path ? "" : " (SKIPPED: no promtool on the PATH, and PROMTOOL names none)";

/** True where tests with it must be skipped. With CI set, a missing one fails instead, where Debian's package is to be had. */
export const withoutPromtool = path === undefined && !(process.env.CI === "true" && process.platform === "linux");

/**
 * Lets Prometheus's own program judge rules by a file of tests, in the form that it documents under "Unit testing for rules".
 * @returns what it says against them; empty where all hold
 */
export async function judgeRules(tests: object): Promise<string> {
	if (!path) throw new Error("there is no promtool, and with CI=true that is a failure");
	const folder = await mkdtemp(join(tmpdir(), "svc-rules-"));
	try {
		const file = join(folder, "tests.json");
		// Each JSON is YAML.
		await writeFile(file, JSON.stringify(tests));
		const told = Bun.spawn([path, "test", "rules", file], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
		const [output, errors, code] = await Promise.all([
			new Response(told.stdout).text(),
			new Response(told.stderr).text(),
			told.exited,
		]);
		return code === 0 ? "" : `${output}${errors}`;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
