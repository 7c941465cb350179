import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { variableNames } from "@svc/server/config";
import { VARIABLES } from "@svc/server/variable-table";
import { ENV_EXAMPLE, envExample } from "./env.ts";

/** What other programs read, and what the launcher tells the service. */
const OTHERS = ["SVC_API_KEY", "SVC_COMMAND", "SVC_PROFILE", "SVC_PROFILE_FILE", "SVC_TEST_CORPUS"];

const listed = VARIABLES.flatMap(({ variables }) => variables.map(({ name }) => name));

test(".env.example is what the table of variables gives: else `bun run generate`", async () => {
	expect(await readFile(ENV_EXAMPLE, "utf8")).toBe(envExample());
});

test("--help and .env.example list every variable that the service reads, and no other", () => {
	expect([...listed].sort()).toEqual(
		variableNames()
			.filter((name) => !OTHERS.includes(name))
			.sort(),
	);
});

test("every default of .env.example is the one that is in force without it", async () => {
	const { readConfig } = await import("@svc/server/config");
	const written = Object.fromEntries(
		[...envExample().matchAll(/^#([A-Z][A-Z0-9_]+)=(.+)$/gm)].map(([, name = "", value = ""]) => [name, value]),
	);
	expect(Object.keys(written).length).toBeGreaterThan(20);
	// With public addresses PORT means something else, and what is written for them is what PORT gives.
	const { PORT: _, ...others } = written;
	expect({ ...readConfig(others), portsFrom: "" }).toEqual({ ...readConfig({}), portsFrom: "" });
});

test("the page of settings names each of them", async () => {
	const page = await readFile(new URL("../../docs/operate/settings.md", import.meta.url), "utf8");
	const told = new Set(page.match(/\b[A-Z][A-Z0-9_]{3,}\b/g));
	expect(listed.filter((name) => !told.has(name))).toEqual([]);
});
