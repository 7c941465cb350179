import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dirname, "../..");

export interface Checkout {
	readonly root: string;
	/** Runs a program in it; what it wrote, and whether it succeeded. */
	run(...command: readonly string[]): Promise<{ readonly ok: boolean; readonly out: string; readonly err: string }>;
	[Symbol.asyncDispose](): Promise<void>;
}

/**
 * A copy of this checkout as it is now, to be changed at will. Its packages find each other in the copy; what comes from elsewhere is this
 * checkout's own.
 */
export async function copyCheckout(): Promise<Checkout> {
	const root = await mkdtemp(join(tmpdir(), "svc-checkout-"));
	const { stdout } = Bun.spawnSync(["git", "ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
	const files = stdout.toString().trim().split("\n");
	await Promise.all(files.map((file) => cp(join(ROOT, file), join(root, file)).catch(unlessGone)));
	await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
	for (const manifest of new Glob("*/**/package.json").scanSync({ cwd: root, followSymlinks: false })) {
		const links = join(dirname(manifest), "node_modules");
		await cp(join(ROOT, links), join(root, links), { recursive: true, verbatimSymlinks: true }).catch(unlessGone);
	}
	// Tools ask for the repository that they work in.
	await mkdir(join(root, ".git"), { recursive: true });
	return {
		root,
		async run(...command) {
			const child = Bun.spawn([...command], { cwd: root, stdout: "pipe", stderr: "pipe" });
			const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
			return { ok: (await child.exited) === 0, out, err };
		},
		[Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
	};
}

/** A file that was deleted since the last commit. */
function unlessGone(cause: NodeJS.ErrnoException): void {
	if (cause.code !== "ENOENT") throw cause;
}
