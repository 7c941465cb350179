import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/*
 *   bun test/bench/peers/build-pocketbase.ts <program>
 *
 * Builds PocketBase with Go, as its authors publish it but for one word: it commits with `synchronous=NORMAL`, which a power cut can take back, and
 * has no setting for that. With FULL each commit is on the disk before it is answered, as it is here.
 */

const VERSION = "0.39.9";
const MODULE = "github.com/pocketbase/pocketbase";
const CONNECT = "core/db_connect.go";
const [NORMAL, FULL] = ["synchronous(NORMAL)", "synchronous(FULL)"];

const [program] = process.argv.slice(2);
if (program === undefined) throw new Error("say where the program goes: build-pocketbase.ts <program>");

const folder = await mkdtemp(join(tmpdir(), "pocketbase-"));
try {
	const said = await run(["go", "mod", "download", "-json", `${MODULE}@v${VERSION}`], folder);
	const { Dir } = JSON.parse(said) as { readonly Dir: string };
	const source = join(folder, "source");
	await cp(Dir, source, { recursive: true });
	// What Go keeps can be read only.
	await run(["chmod", "-R", "u+w", source], folder);
	const connect = await readFile(join(source, CONNECT), "utf8");
	if (connect.split(NORMAL).length !== 2) throw new Error(`${CONNECT} of this version sets no ${NORMAL}`);
	await writeFile(join(source, CONNECT), connect.replace(NORMAL, FULL));
	await run(["go", "build", "-trimpath", "-o", resolve(program), "./examples/base"], source);
} finally {
	await rm(folder, { recursive: true, force: true });
}
console.log(`${program}: PocketBase ${VERSION} with ${FULL}`);

/** @throws Error with what it said where it fails */
async function run(command: readonly string[], cwd: string): Promise<string> {
	const child = Bun.spawn([...command], {
		cwd,
		env: { ...process.env, CGO_ENABLED: "0" },
		stdio: ["ignore", "pipe", "pipe"],
	});
	const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${error}`);
	return out;
}
