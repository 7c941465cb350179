import { addStandards } from "@svc/server/runtime/standards";
import { collect } from "./bun-test.ts";
import { runSuite, type Tally } from "./tree.ts";

/* Runs the built test files that it is given, one after the other, and counts as the runner of Bun does. */

addStandards();
const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
const say = (line: string) => void process.stdout.write(`${line}\n`);
for (const file of process.argv.slice(2)) {
	say(`\n${file}:`);
	try {
		await runSuite(await collect(() => import(file)), [], { tally, say });
	} catch (error) {
		tally.failed++;
		say(`(fail) ${file}\n${error instanceof Error ? error.stack : String(error)}`);
	}
}
say(`\n ${tally.passed} pass\n ${tally.skipped} skip\n ${tally.failed} fail`);
process.exit(tally.failed > 0 ? 1 : 0);
