import { watchUncaught } from "@svc/server/uncaught";

/* Meets, one after the other, errors that no code catches, and tells what it noted and whether it was to end. */

const said: string[] = [];
const facts = { rejections: 0, exceptions: 0, counted: 0, ended: false };

watchUncaught({
	log: {
		error(_, { kind, cause } = {}) {
			if (kind === "rejection") facts.rejections += 1;
			else facts.exceptions += 1;
			said.push(cause instanceof Error ? cause.message : String(cause));
		},
	},
	meters: {
		count() {
			facts.counted += 1;
		},
	},
	end() {
		facts.ended = true;
	},
});

const told = () => ({ ...facts, said: said.splice(0) });
const seen = async (fault: () => void) => {
	const before = facts.counted;
	setTimeout(fault, 0);
	while (facts.counted === before) await new Promise((resolve) => setTimeout(resolve, 5));
	process.stdout.write(`${JSON.stringify(told())}\n`);
};

await seen(() => void Promise.reject(new Error("a promise that nobody has")));
await seen(() => {
	throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
});
await seen(() => {
	throw new TypeError("a callback left in the middle");
});
process.exit(0);
