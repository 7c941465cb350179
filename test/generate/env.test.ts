import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { variableNames } from "@svc/server/config/config";
import { tuned } from "@svc/server/config/tuning";
import { OPTIONS, VARIABLES } from "@svc/server/config/variable-table";
import { ENV_EXAMPLE, envExample } from "./env.ts";

/** What other programs read, and what the launcher tells the service. */
const OTHERS = ["SVC_API_KEY", "SVC_COMMAND", "SVC_PROFILE", "SVC_PROFILE_FILE", "SVC_TEST_CORPUS"];

/** Those of OpenTelemetry and of AWS stand in the row of the variable that they belong to. */
const BESIDE = ["AWS_SESSION_TOKEN", "OTEL_METRIC_EXPORT_INTERVAL", "OTEL_TRACES_SAMPLER_ARG"];

const rows = VARIABLES.flatMap(({ variables }) => variables);
const listed = rows.map(({ name }) => name);

test(".env.example is what the table of variables gives: else `npm run generate`", async () => {
	expect(await readFile(ENV_EXAMPLE, "utf8")).toBe(envExample());
});

test("--help and .env.example list every variable that the service reads, and no other", () => {
	const options = OPTIONS.map(({ name }) => tuned(name as Parameters<typeof tuned>[0]));
	expect([...listed, ...options, ...BESIDE].sort()).toEqual(
		variableNames()
			.filter((name) => !OTHERS.includes(name))
			.sort(),
	);
	const about = rows.map((row) => row.about).join(" ");
	for (const name of BESIDE) expect(about).toContain(name);
});

test("a deployment has 53 settings at most", () => {
	expect(listed.length).toBeLessThanOrEqual(53);
});

test("every default of an option of SVC_TUNING is the one that is in force without it", async () => {
	const { readConfig } = await import("@svc/server/config/config");
	const all = OPTIONS.filter(({ standard }) => standard !== "").map(({ name, standard }) => `${name}=${standard}`);
	expect(readConfig({ SVC_TUNING: all.join(", ") })).toEqual(readConfig({}));
});

test("every default of .env.example is the one that is in force without it", async () => {
	const { readConfig } = await import("@svc/server/config/config");
	const written = Object.fromEntries(
		[...envExample().matchAll(/^#([A-Z][A-Z0-9_]+)=(.+)$/gm)].map(([, name = "", value = ""]) => [name, value]),
	);
	expect(Object.keys(written).length).toBeGreaterThan(20);
	// With public addresses PORT means something else, and what is written for them is what PORT gives.
	const { PORT: _, ...others } = written;
	expect({ ...readConfig(others), portsFrom: "" }).toEqual({ ...readConfig({}), portsFrom: "" });
});
