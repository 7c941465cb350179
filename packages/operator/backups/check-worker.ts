import { setPriority } from "node:os";
import { quickCheck } from "@svc/base/database/file/quick-check";

/* The program of a child process, started by database-check.ts with the path of the database. It reads the whole file: requests go first. */

const NICE = 10;
const [, , path = ""] = process.argv;
try {
	setPriority(NICE);
	const found = quickCheck(path);
	if (found !== undefined) {
		process.stderr.write(`damaged: ${found}`);
		process.exitCode = 1;
	}
} catch (error) {
	process.stderr.write(String(error));
	process.exitCode = 1;
}
