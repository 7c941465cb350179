import { expect, test } from "bun:test";
import { parseEmail } from "./email.ts";
import { Failure } from "./failure.ts";

const isTaken = (address: string) => {
	try {
		return parseEmail(address) === address;
	} catch (cause) {
		if (cause instanceof Failure) return false;
		throw cause;
	}
};

/** A host of so many letters, in labels that are not too long. */
const hostOf = (length: number) => `${`${"b".repeat(49)}.`.repeat(9).slice(0, length - 4)}b.co`;

test.each([
	["a label of 63 letters", `a@${"b".repeat(63)}.com`, true],
	["a label of 64 letters", `a@${"b".repeat(64)}.com`, false],
	["a label of 64 letters at the end", `a@b.${"c".repeat(64)}`, false],
	["a label of 64 letters in the middle", `a@b.${"c".repeat(64)}.com`, false],
	["an international label whose name for name servers has 63", `a@${"ü".repeat(50)}.com`, true],
	["an international label whose name for name servers is longer", `a@${"ü".repeat(60)}.com`, false],
	["a local part of 64 bytes", `${"ü".repeat(32)}@b.com`, true],
	["a local part of 66 bytes", `${"ü".repeat(33)}@b.com`, false],
	["a host of 252 letters", `a@${hostOf(252)}`, true],
	["a host of 253 letters, whose address has 255", `a@${hostOf(253)}`, false],
	["254 bytes with a long local part", `${"a".repeat(64)}@${hostOf(189)}`, true],
	["255 bytes with a long local part", `${"a".repeat(64)}@${hostOf(190)}`, false],
	["international names", "a@例え.テスト", true],
])("an address with %s: taken %#", (_, address, taken) => {
	expect([address, isTaken(address)]).toEqual([address, taken]);
});
