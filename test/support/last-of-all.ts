import { afterAll } from "bun:test";

/* Loaded before every test (bunfig.toml): what one process shares between its test files goes after the last of them. */

type Work = () => void;

const last: Work[] = [];

export function afterAllFiles(work: Work): void {
	last.push(work);
}

afterAll(() => {
	for (const work of last) work();
});
