import { readFileSync } from "node:fs";
import { OPTIONS, VARIABLES } from "@svc/server/config/variable-table";
import { urlOf } from "./transform.ts";

/* Numbers for pages, read where the code has them: what is moved or renamed there stops `npm run generate`. */

/** The value of a constant of numbers in a source file; `WAITS.limit` is a member of one. @throws Error where there is none */
export function constant(path: string, name: string): number {
	const [known = "", member] = name.split(".");
	const source = readFileSync(urlOf(path), "utf8");
	const [, text] = new RegExp(`const ${known}(?:: [^=]+)? = ([^;]+);`).exec(source) ?? [];
	const part = member === undefined ? text : new RegExp(`\\b${member}: ([^,\\n}]+)`).exec(text ?? "")?.[1];
	if (part === undefined) throw new Error(`${path} has no constant ${name}.`);
	return calculated(part, (other) => constant(path, other));
}

/** A number in the code, found by what stands around it: `/maxBytes: ([\d_]+)/`. @throws Error where there is none */
export function written(path: string, around: RegExp): number {
	const [, text] = around.exec(readFileSync(urlOf(path), "utf8")) ?? [];
	if (text === undefined) throw new Error(`${path} has nothing like ${around}.`);
	return calculated(text, () => Number.NaN);
}

/** The numbers of a list. @throws Error where there is none */
export function waits(path: string, name: string): readonly number[] {
	const source = readFileSync(urlOf(path), "utf8");
	const [, text] = new RegExp(`const ${name} = \\[([^\\]]+)\\]`).exec(source) ?? [];
	if (text === undefined) throw new Error(`${path} has no list ${name}.`);
	const items = text.split(",").filter((item) => item.trim() !== "");
	return items.map((item) => calculated(item, (other) => constant(path, other)));
}

/** The words in quotes within a text that is found so. @throws Error where there is none */
export function words(path: string, around: RegExp): readonly string[] {
	const [, text = ""] = around.exec(readFileSync(urlOf(path), "utf8")) ?? [];
	const found = [...text.matchAll(/"([^"]+)"/g)].map(([, word = ""]) => word);
	if (found.length === 0) throw new Error(`${path} has nothing like ${around}.`);
	return found;
}

/** What a variable, or an option of SVC_TUNING, is where nobody sets it. @throws Error for one that there is not */
export function standardOf(name: string): string {
	const found = [...VARIABLES.flatMap(({ variables }) => variables), ...OPTIONS].find((one) => one.name === name);
	if (found === undefined) throw new Error(`There is no variable ${name}.`);
	return found.standard;
}

/** Products, sums and powers of whole numbers and of other constants. */
function calculated(text: string, other: (name: string) => number): number {
	const terms = text.split("+").map((term) => {
		const factors = term.replaceAll("**", "^").split("*");
		return factors.map((factor) => power(factor.trim(), other)).reduce((all, one) => all * one, 1);
	});
	const value = terms.reduce((all, one) => all + one, 0);
	if (Number.isNaN(value)) throw new Error(`This is no number: ${text}`);
	return value;
}

function power(text: string, other: (name: string) => number): number {
	const [base = "", exponent = "1"] = text.split("^").map((part) => part.trim());
	const value = /^[\d_]+$/.test(base) ? Number(base.replaceAll("_", "")) : other(base);
	return value ** Number(exponent);
}

export function count(value: number): string {
	return value.toLocaleString("en-US");
}

export function bytes(value: number): string {
	const [unit = "bytes", size = 1] = [["GB", 1e9] as const, ["MB", 1e6] as const, ["KiB", 1_024] as const].find(
		([, one]) => value >= one && value % one === 0,
	) ?? ["bytes", 1];
	return `${count(value / size)} ${unit}`;
}

const UNITS = [
	["day", 86_400],
	["hour", 3_600],
	["minute", 60],
	["second", 1],
] as const;

export function seconds(value: number): string {
	const [unit, length] = UNITS.find(([, one]) => value >= one && value % one === 0) ?? ["second", 1];
	const number = value / length;
	return `${count(number)} ${unit}${number === 1 ? "" : "s"}`;
}
