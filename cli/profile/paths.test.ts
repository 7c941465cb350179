import { expect, test } from "bun:test";
import { posix, win32 } from "node:path";
import { below, resolved } from "./paths.ts";

test("a path means the same as node:path would have it mean, on every system [profile.paths]", () => {
	for (const path of ["data", "./data", "/var/lib/svc", "a/b", ".svc"]) {
		expect(resolved("/home/ada", path)).toBe(posix.resolve("/home/ada", path));
		expect(resolved("/", path)).toBe(posix.resolve("/", path));
	}
	for (const path of ["data", ".\\data", "C:\\svc", "\\\\host\\share\\svc"])
		expect(resolved("C:\\Users\\ada", path)).toBe(win32.resolve("C:\\Users\\ada", path));
	expect(below("/home/ada/", "data", "profiles.json")).toBe("/home/ada/data/profiles.json");
	expect(below("C:\\Users\\ada", ".config")).toBe("C:\\Users\\ada\\.config");
});
