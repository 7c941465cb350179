import { Glob } from "bun";

/* What is run on other runtimes too: what is about pictures, keys and HTTP itself. The rest of the service is the same code above them. */

/** Not these, for they themselves need Bun. */
const OF_BUN = {
	"its own source is read": ["kit/enumerations.test.ts", "kit/logged-paths.test.ts"],
	"a program is run by Bun": ["kit/locked.test.ts", "kit/lost-answers.test.ts", "images/plan-limits.test.ts"],
	"a server of Bun's is asked": [
		"images/clients.test.ts",
		"images/idempotency-recovery.test.ts",
		"images/visibility.test.ts",
	],
	"what is read of a body is counted in the same process": ["images/anonymous-cap.test.ts"],
	"AsyncDisposableStack is used, which Node 22 lacks": ["images/image-page.test.ts", "images/public-reads.test.ts"],
	"Bun's memory is measured": ["images/create-memory.test.ts"],
};

/** The files of folders of test/http, as paths from the root of the checkout. */
export function filesOnEveryRuntime(root: string, folders: readonly string[]): readonly string[] {
	const leftOut = new Set(Object.values(OF_BUN).flat());
	const all = folders.flatMap((folder) => [...new Glob(`${folder}/*.test.ts`).scanSync({ cwd: `${root}/test/http` })]);
	return all
		.filter((file) => !leftOut.has(file))
		.sort()
		.map((file) => `test/http/${file}`);
}
