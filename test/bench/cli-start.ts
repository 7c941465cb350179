import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packCli } from "@svc/deploy/cli-package";
import { buildExecutable } from "@svc/deploy/executable";
import { thisPlatform } from "@svc/deploy/platform";
import { writeProfile } from "../support/program.ts";
import { startService } from "../support/service.ts";
import { interleaved, printTable, ratioOf, shown, spreadOf, verdict } from "./measure.ts";

/*
 * bun test/bench/cli-start.ts [rounds]: what the start of `svc` costs in processor time, from the checkout, from the packed file and from the executable, beside a
 * process of Bun that does nothing, and beside one that does by itself what `apps list` cannot do without: one call and one line of output. The
 * service that is asked is a real one, whose own time is not counted.
 */

const ROUNDS = Number(process.argv[2] ?? 21);
/** Times a process of Bun that does nothing. */
const MOST = 3;
const MAIN = join(import.meta.dirname, "../../cli/main.ts");
const LINES = [["--version"], ["--help"], ["apps", "list"]] as const;

const { PATH = "" } = process.env;
const folder = await mkdtemp(join(tmpdir(), "svc-cli-start-"));
const service = await startService();
const bare = join(folder, "nothing.mjs");
await writeFile(bare, "");
const asking = join(folder, "asking.mjs");
await writeFile(asking, askingProgram(service.baseUrl, service.token));
const profile = join(folder, "profiles.json");
await writeProfile(profile, { base_url: service.baseUrl, token: service.token });
const { tarball } = await packCli(folder);
if (!Bun.spawnSync(["tar", "-xzf", tarball], { cwd: folder }).success)
	throw new Error("the package could not be unpacked");
const packed = join(folder, "package", "dist", "svc.mjs");
const executable = join(folder, "svc");
await buildExecutable({ platform: thisPlatform(), out: executable, withService: false });

/** Milliseconds of processor time that a program takes, from its start to its end. @throws Error when it fails */
async function timeOf(words: readonly string[]): Promise<number> {
	const child = Bun.spawn([...words], {
		cwd: folder,
		env: { PATH, HOME: folder, SVC_PROFILE_FILE: profile },
		stdio: ["ignore", "ignore", "pipe"],
	});
	const said = await new Response(child.stderr).text();
	if ((await child.exited) !== 0) throw new Error(`${words.join(" ")}: ${said}`);
	return Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1e3;
}

/** The least that any program does that asks for a list and prints it. */
function askingProgram(baseUrl: string, token: string): string {
	const init = JSON.stringify({ headers: { authorization: `Bearer ${token}` } });
	return `const answer = await fetch("${baseUrl}/v1/apps?limit=50", ${init});
await Bun.write(Bun.stdout, JSON.stringify((await answer.json()).data.map((app) => app.id)));`;
}

const SIDES = [
	["checkout", [process.execPath, MAIN]],
	["checkout, ./svc", [join(import.meta.dirname, "../../svc")]],
	["packed", [process.execPath, packed]],
	["executable", [executable]],
] as const;
const cases = SIDES.flatMap(([from, program]) =>
	LINES.map((argv) => [`${from}: ${argv.join(" ")}`, () => timeOf([...program, ...argv])] as const),
);
const sides = {
	bare: () => timeOf([process.execPath, bare]),
	"bare, one call": () => timeOf([process.execPath, asking]),
	...Object.fromEntries(cases),
};

try {
	await interleaved(2, sides);
	const measured: Readonly<Record<string, readonly number[]>> = await interleaved(ROUNDS, sides);
	const rows = Object.entries(measured).map(([name, times]) => {
		const ratio = ratioOf(times, measured.bare ?? []);
		const met = name.startsWith("bare") ? "" : verdict(ratio.median <= MOST);
		return [name, shown(spreadOf(times), 1), shown(ratio), met];
	});
	printTable(
		`Processor time of a start, ${ROUNDS} rounds: median (least–most)`,
		["", "ms", "× bare Bun", `at most ${MOST}`],
		rows,
	);
} finally {
	await service.stop();
	await rm(folder, { recursive: true });
}
