import { existsSync } from "node:fs";
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

/**
 * Nor these, whose promises no runtime can break alone: they are of what stands above requests, answers, files, secrets, time and programs. A file
 * that is named nowhere runs on each.
 */
const ABOVE_RUNTIMES = {
	"rules and their SQL": [
		"apps/app-overview.test.ts",
		"apps/apps.test.ts",
		"apps/invites.test.ts",
		"apps/members.test.ts",
		"connect/disconnect.test.ts",
		"connect/own-storage.test.ts",
		"connect/users.test.ts",
		"events/every-type.test.ts",
		"events/feed.test.ts",
		"events/subscription-events.test.ts",
		"images/anonymous-creates.test.ts",
		"images/filters.test.ts",
		"images/get-delete-list.test.ts",
		"images/image-jobs.test.ts",
		"images/lost-authority.test.ts",
		"images/orphans.test.ts",
		"images/patch.test.ts",
		"images/sitemap.test.ts",
		"images/transition-limits.test.ts",
		"images/upgraded-formats.test.ts",
		"images/usage-and-quota.test.ts",
		"keys/app-keys.test.ts",
		"keys/own-keys.test.ts",
		"kit/every-path.test.ts",
		"kit/replay-scope.test.ts",
	],
	"pixels, which the same library makes on each": ["images/corpus.test.ts", "images/queued-files.test.ts"],
	"the API document, which is data": ["kit/document.test.ts", "kit/document-examples.test.ts"],
};

/** The files of folders of test/http, as paths from the root of the checkout. @throws Error where a file that is left out is not there */
export function filesOnEveryRuntime(root: string, folders: readonly string[]): readonly string[] {
	const leftOut = new Set([...Object.values(OF_BUN), ...Object.values(ABOVE_RUNTIMES)].flat());
	const gone = [...leftOut].filter((file) => !existsSync(`${root}/test/http/${file}`));
	if (gone.length > 0) throw new Error(`left out on other runtimes, but not there: ${gone.join(", ")}`);
	const all = folders.flatMap((folder) => [...new Glob(`${folder}/*.test.ts`).scanSync({ cwd: `${root}/test/http` })]);
	return all
		.filter((file) => !leftOut.has(file))
		.sort()
		.map((file) => `test/http/${file}`);
}
