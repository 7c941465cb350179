import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";

/* What a workflow runs of others is named by its commit: a tag can be moved to other code, which would then have what a release has. */

const FOLDER = new URL("../../.github/workflows/", import.meta.url);
const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

describe.each(readdirSync(FOLDER))("the workflow %s", (name) => {
	const text = readFileSync(new URL(name, FOLDER), "utf8");

	test("names what it uses by commit, with the version beside it for Renovate", () => {
		const used = [...text.matchAll(/\buses: (.+)$/gm)].map(([, one = ""]) => one);
		expect(used.filter((one) => !one.startsWith("./") && !PINNED.test(one))).toEqual([]);
	});

	test("leaves no token in the checkout", () => {
		const steps = text.split(/^ *- /m).filter((step) => step.startsWith("uses: actions/checkout@"));
		expect(steps.filter((step) => !step.includes("persist-credentials: false"))).toEqual([]);
	});

	test("may read the repository, and no more where no job says so", () => {
		expect((Bun.YAML.parse(text) as { permissions: unknown }).permissions).toEqual({ contents: "read" });
	});
});

test("every push is tried by the quick tests; main, a pull request and a release by all that .ci/run runs", () => {
	const workflow = Bun.YAML.parse(readFileSync(new URL("test.yml", FOLDER), "utf8")) as {
		on: { push: unknown; pull_request: unknown; workflow_call: unknown };
		jobs: Record<string, { if?: string; steps: { run?: string }[] }>;
	};
	expect(workflow.on).toEqual({ push: { branches: ["**"] }, pull_request: null, workflow_call: null });
	const { quick, all } = workflow.jobs;
	expect([quick?.if, quick?.steps.at(-1)?.run]).toEqual([undefined, "npm run test:quick"]);
	expect(all?.steps.at(-1)?.run).toEndWith("bash .ci/run");
	for (const whole of ["'pull_request'", "'refs/heads/main'", "'refs/tags/'"]) expect(all?.if).toContain(whole);
});
