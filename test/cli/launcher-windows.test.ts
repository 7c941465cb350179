import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/* The launcher of Windows, of which there is none here: its text against that of the others, and against what cmd.exe makes of a text. */

const ROOT = new URL("../..", import.meta.url).pathname;
const read = (name: string) => readFileSync(join(ROOT, name), "utf8");
const cmd = read("svc.cmd").split(/\r?\n/);
const text = cmd.filter((line) => !/^rem /i.test(line)).join("\n");
const shell = read("svc");

function matches(pattern: RegExp, of: string): readonly string[] {
	return [...of.matchAll(pattern)].map(([, found = ""]) => found);
}

describe("svc.cmd", () => {
	test("gives all its words to the launcher beside it, and ends with its exit code", () => {
		const place = cmd.indexOf('"%runtime%" "%here%svc.mjs" %*');
		expect(place).toBeGreaterThan(0);
		expect(cmd[place + 1]).toBe("exit /b %ERRORLEVEL%");
		expect(shell).toContain('/svc.mjs" "$@"');
	});

	test("takes the same runtimes in the same order as svc, and says the same where there is none", () => {
		// The last one that is found counts.
		const [programs = ""] = matches(/for %%N in \(([^)]*)\)/g, text);
		const names = programs.split(" ").map((name) => name.replace(/\.(?:cmd|exe)$/, ""));
		expect([...new Set(names.reverse())]).toEqual(matches(/for runtime in (.*); do/g, shell)[0]?.split(" ") ?? []);
		expect(matches(/echo (Svc needs .*)/g, text)).toEqual(matches(/echo "(Svc needs .*)" >&2/g, shell));
		expect(matches(/exit \/b (\d+)/g, text)).toContain(matches(/^exit (\d+)/gm, shell)[0] ?? "");
	});

	test("tells the launcher what was typed, and takes no other name that the service would take for a setting", () => {
		const set = matches(/^\s*(?:if .*|for .* do if .*)?set "(\w+)=/gm, text);
		expect(set.filter((name) => name.startsWith("SVC_"))).toEqual(["SVC_COMMAND", "SVC_COMMAND"]);
		const known = new Set([...set, "CD", "ERRORLEVEL"]);
		expect(matches(/%(\w+)%/g, text).filter((name) => !known.has(name))).toEqual([]);
	});

	test("is a text that cmd.exe reads: lines of Windows, plain letters, closed quotes, labels that are there", () => {
		expect(read(".gitattributes").split("\n")).toContain("*.cmd text eol=crlf");
		expect(text).toMatch(/^[\t\n\x20-\x7e]*$/);
		expect(cmd.filter((line) => (line.split('"').length - 1) % 2 !== 0)).toEqual([]);
		const labels = matches(/^:(\w+)$/gm, text);
		for (const label of matches(/\b(?:goto |call :)(\w+)/g, text)) expect(labels).toContain(label);
		// Whoever falls into a subroutine would run it twice.
		for (const [place, line] of cmd.entries()) if (line.startsWith(":")) expect(cmd[place - 2]).toStartWith("exit /b");
	});
});
