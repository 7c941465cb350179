import { startProgram } from "@svc/base/processes/programs";

const REASON_MAX = 1_000;

/**
 * Runs a program of ours in a process of its own, for one long statement of a synchronous driver.
 * @returns undefined when it succeeded, else the reason. It gets none of the service's secrets, which are in the environment.
 */
export function runProgram(program: string, args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
	const { promise, resolve } = Promise.withResolvers<string | undefined>();
	const child = startProgram(program, { args, stdio: ["ignore", "ignore", "pipe"], failed: resolve });
	// The program handles no signal inside its one long statement.
	const end = () => child?.kill("SIGKILL");
	if (signal.aborted) end();
	signal.addEventListener("abort", end, { once: true });
	let said = "";
	child?.stderr?.setEncoding("utf8").on("data", (text: string) => {
		said = (said + text).slice(0, REASON_MAX);
	});
	child?.once("close", (code, by) => resolve(code === 0 ? undefined : said || `it ended with ${by ?? code}`));
	return promise.finally(() => signal.removeEventListener("abort", end));
}
