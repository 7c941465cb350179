import { join } from "node:path";

/**
 * Another process that holds a database file's write lock, as a shell of SQLite in which somebody forgot a transaction. Disposing of it kills
 * the process, and so does the end of this one.
 */
export async function lockFromOutside(url: string): Promise<AsyncDisposable> {
	// Kept in a variable: a transaction that is collected lets go.
	const script = `import { createClient } from "@libsql/client";
		globalThis.held = await createClient({ url: ${JSON.stringify(url)}, concurrency: 1, timeout: 10_000 }).transaction("write");
		console.log("holding");
		process.stdin.on("end", () => process.exit()).resume();`;
	const holder = Bun.spawn([process.execPath, "-e", script], {
		cwd: join(import.meta.dirname, "../../packages/base"),
		stdin: "pipe",
		stdout: "pipe",
		stderr: "pipe",
	});
	const { value } = await holder.stdout.getReader().read();
	if (!new TextDecoder().decode(value).includes("holding")) throw new Error(await new Response(holder.stderr).text());
	return {
		async [Symbol.asyncDispose]() {
			holder.kill("SIGKILL");
			await holder.exited;
		},
	};
}
