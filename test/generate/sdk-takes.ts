import { PARAMETERS } from "@svc/sdk/transform-parameters";
import ts from "typescript";
import { nameOf, openSdk, ROOM } from "./sdk-calls.ts";

/* What each function of the SDK takes, read from its types, for the SDK to look at what it is given: `packages/sdk/wire/check.ts`. */

type Takes = string | Fields;
interface Fields {
	readonly [name: string]: Takes;
}

/** Their calls are a table of their own, so that a page does not load it. */
const CLIENTS: Readonly<Record<string, string>> = { client: "createClient", management: "createManagement" };

/** Frameworks call them, for a page that may not fail over an attribute: only the first parameter is looked at. */
const CALLED_BY_FRAMEWORKS = ["transform", "getImage"];

/** What gives calls that look at what they are given themselves. */
const CHECKED_ELSEWHERE = ["UserClient", "Client"];

const MADE = `/* Made by \`npm run generate\` from the SDK's types: what each function takes. */
// biome-ignore-all format: a program has made it
`;

/** The generated files by name. */
export function takesOf(entries: readonly string[]): Readonly<Record<string, string>> {
	const { checker, sources } = openSdk(entries);
	const all = [...sources].flatMap(([entry, source]) =>
		functionsOf(checker, source).map(([name, signatures]) => ({ entry, name, signatures })),
	);
	const clients = all.filter(({ entry, name }) => CLIENTS[entry] === name).map((one) => clientFile(checker, one));
	const plain = new Printer(checker, true);
	// Frameworks have functions of one name, which take the same.
	const others = new Set(all.filter(({ entry, name }) => CLIENTS[entry] !== name).map((one) => tableOf(plain, one)));
	return { ...Object.fromEntries(clients), "wire/takes.ts": fileOf(plain, "Fields", [...others]) };
}

interface Found {
	readonly entry: string;
	readonly name: string;
	readonly signatures: readonly ts.Signature[];
}

function clientFile(checker: ts.TypeChecker, one: Found): readonly [name: string, text: string] {
	const printer = new Printer(checker);
	const [signature] = one.signatures;
	const made = signature && printer.calls(signature.getReturnType());
	const calls = `export const ${one.entry.toUpperCase()}: Calls = ${made};`;
	return [`wire/takes-${one.entry}.ts`, fileOf(printer, "Calls, Fields", [tableOf(printer, one), calls])];
}

function tableOf(printer: Printer, { name, signatures }: Found): string {
	const most = CALLED_BY_FRAMEWORKS.includes(name) ? 1 : undefined;
	return `export const ${constantOf(name)}: Fields = ${printer.parameters(signatures, most)};`;
}

function fileOf(printer: Printer, types: string, tables: readonly string[]): string {
	const text = [...printer.shared(tables), ...tables].join("\n\n");
	return `${MADE}\nimport type { ${types} } from "./check.ts";\n\n${text}\n`;
}

/** `imageUrl` → `IMAGE_URL`. */
function constantOf(name: string): string {
	return name.replace(/[A-Z]/g, "_$&").toUpperCase();
}

/** What an entry itself exports, and can be called. Defaults are called by frameworks. */
function functionsOf(
	checker: ts.TypeChecker,
	source: ts.SourceFile,
): readonly (readonly [string, readonly ts.Signature[]])[] {
	const module = checker.getSymbolAtLocation(source);
	return (module ? checker.getExportsOfModule(module) : []).flatMap((alias) => {
		const symbol = alias.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(alias) : alias;
		const file = symbol.valueDeclaration?.getSourceFile();
		const isHere = file === source || file?.fileName.endsWith("/webhooks.ts");
		const isInternal = symbol.getJsDocTags().some(({ name }) => name === "internal");
		const signatures = checker.getTypeOfSymbolAtLocation(symbol, source).getCallSignatures();
		const isMeant = isHere && !isInternal && alias.name !== "default" && signatures.length > 0;
		return isMeant ? [[alias.name, signatures] as const] : [];
	});
}

/** Prints tables, and gathers the options that several calls share. */
class Printer {
	readonly #checker: ts.TypeChecker;
	readonly #isFlat: boolean;
	readonly #named = new Map<string, string>();

	/** @param isFlat whether tables name all fields themselves: bundlers do not drop one that another is spread into */
	constructor(checker: ts.TypeChecker, isFlat = false) {
		this.#checker = checker;
		this.#isFlat = isFlat;
	}

	/** The options that have a name, each before those that hold it. */
	shared(uses: readonly string[]): readonly string[] {
		const all = [...this.#named].map(([name, text]) => [name, `const ${name}: Fields = ${text};`] as const);
		const texts = [...uses, ...all.map(([, text]) => text)];
		const isUsed = (name: string) => texts.some((text) => new RegExp(`\\b${name}\\b(?!: Fields)`).test(text));
		return all.filter(([name]) => isUsed(name)).map(([, text]) => text);
	}

	/** Of several ways to call it, each parameter takes what any of them does. */
	parameters(signatures: readonly ts.Signature[], most?: number): string {
		const taken: { name: string; readonly types: ts.Type[] }[] = [];
		for (const signature of signatures) {
			signature
				.getParameters()
				.slice(0, most)
				.forEach((parameter, place) => {
					const at = parameter.valueDeclaration;
					if (at === undefined) return;
					taken[place] ??= { name: nameOf(parameter).replace(/^\{.*\}$/, "from"), types: [] };
					taken[place].types.push(this.#checker.getTypeOfSymbolAtLocation(parameter, at));
				});
		}
		// What is taken apart at once has no name of its own, and may stand beside the options of the call.
		for (const one of taken.slice(0, -1))
			if (one.name === taken.at(-1)?.name) one.name = one.name.replace("options", "choices");
		return `{ ${taken.map(({ name, types }) => `${quoted(name)}: ${this.#union(types)}`).join(", ")} }`;
	}

	calls(type: ts.Type): string {
		const entries = type.getProperties().flatMap((property) => {
			// One that stands under an old name as well is declared by that name alone.
			const at = property.valueDeclaration ?? property.declarations?.[0];
			if (at === undefined) return [];
			const held = this.#checker.getTypeOfSymbolAtLocation(property, at);
			const signatures = held.getCallSignatures();
			return [`${quoted(property.name)}: ${signatures.length > 0 ? this.#call(signatures) : this.calls(held)}`];
		});
		return `{${entries.map((entry) => `\n${entry},`.replaceAll("\n", "\n\t")).join("")}\n}`;
	}

	#call(signatures: readonly ts.Signature[]): string {
		const [first] = signatures;
		const given = first?.getReturnType();
		const name = given?.getSymbol()?.name ?? "";
		const isPromise = given === undefined || name === "Promise";
		const holdsNone = name === "AsyncGenerator" || CHECKED_ELSEWHERE.includes(name);
		const gives = isPromise ? "" : `, ${holdsNone ? "{}" : this.calls(given)}`;
		return `[${this.parameters(signatures)}${gives}]`;
	}

	#union(types: readonly ts.Type[]): string {
		const all = types.flatMap((type) => (type.isUnion() ? type.types : [type])).map((type) => this.#one(type));
		const isFields = (takes: string) => takes.startsWith("{") || this.#named.has(takes);
		const kinds = [...new Set(all.filter((takes) => !isFields(takes) && takes !== "undefined"))].sort();
		if (kinds.includes("any")) return `"any"`;
		// Of several ways to call it the one with the most options has those of the others.
		const [fields] = all.filter(isFields).sort((a, b) => this.#lengthOf(b) - this.#lengthOf(a));
		const words = JSON.stringify(kinds.join("|"));
		if (fields === undefined || kinds.includes("object")) return words;
		if (kinds.length === 0) return fields;
		return `{ "|": ${words}, ${fields.startsWith("{") ? fields.slice(2, -2) : `...${fields}`} }`;
	}

	#lengthOf(fields: string): number {
		return (this.#named.get(fields) ?? fields).length;
	}

	/** A kind, or fields as they are printed. */
	#one(type: ts.Type): string {
		const { flags } = type;
		if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TypeParameter)) return "any";
		if (flags & ts.TypeFlags.Undefined) return "undefined";
		if (flags & ts.TypeFlags.Null) return "null";
		if (flags & ts.TypeFlags.StringLike) return "string";
		if (flags & ts.TypeFlags.NumberLike) return "number";
		if (flags & ts.TypeFlags.BooleanLike) return "boolean";
		if (type.isIntersection() && type.types.some((one) => one.flags & ts.TypeFlags.StringLike)) return "string";
		if (type.getCallSignatures().length > 0) return "function";
		return this.#object(type);
	}

	#object(type: ts.Type): string {
		const symbol = type.getSymbol();
		const name = symbol?.name ?? "";
		if (this.#checker.isArrayLikeType(type)) return this.#list(type);
		if (name === "Date") return "Date";
		if (/^(Blob|File|ArrayBuffer|Uint8Array|ReadableStream|AsyncIterable)$/.test(name)) return "bytes";
		const values = type.getStringIndexType();
		if (values) return this.#map(values);
		const properties = this.#checker.getPropertiesOfType(type);
		const isTheirs = symbol?.declarations?.some(isOfShapes) || !properties.every(isFieldOfOurs);
		if (properties.length === 0 || isTheirs) return "object";
		const at = symbol?.declarations?.find(ts.isInterfaceDeclaration);
		return at ? this.#interface(at, type) : this.#fields(properties);
	}

	#list(type: ts.Type): string {
		const item = this.#union(this.#checker.getTypeArguments(type as ts.TypeReference).slice(0, 1));
		return /^"(string|number)"$/.test(item) ? `${JSON.parse(item)}[]` : `{ "[]": ${item} }`;
	}

	#map(values: ts.Type): string {
		return `{ "*": ${this.#union([values]).replace(/"$/, mayBeUndefined(values) ? '|undefined"' : '"')} }`;
	}

	/** The name of its table. */
	#interface(at: ts.InterfaceDeclaration, type: ts.Type): string {
		const name = at.name.text;
		if (!this.#named.has(name)) this.#named.set(name, this.#fields(this.#checker.getPropertiesOfType(type), at));
		return name;
	}

	/** The fields, of which those of an interface that is there as a whole stand in its own table. */
	#fields(properties: readonly ts.Symbol[], own?: ts.InterfaceDeclaration): string {
		const left = new Map(properties.filter((one) => !isParameter(one)).map((one) => this.#field(one)));
		const isOpen = left.size < properties.length || isShape(properties);
		const spread: string[] = [];
		for (const [at, fields] of this.#isFlat ? [] : this.#interfacesOf(properties)) {
			if (at === own || ![...fields].every(([key, takes]) => left.get(key) === takes)) continue;
			for (const key of fields.keys()) left.delete(key);
			spread.push(`...${this.#interface(at, this.#checker.getTypeAtLocation(at))}`);
		}
		if (isOpen) left.set("*", `"any"`);
		return `{ ${[...spread, ...[...left].map(([key, takes]) => `${quoted(key)}: ${takes}`)].join(", ")} }`;
	}

	/** Where properties are declared, with all that stands there; those with the most first. */
	#interfacesOf(properties: readonly ts.Symbol[]) {
		const places = new Set(properties.map((one) => one.declarations?.[0]?.parent));
		const found = [...places].filter((at): at is ts.InterfaceDeclaration => {
			return at !== undefined && ts.isInterfaceDeclaration(at) && !isOfShapes(at);
		});
		const all = found.map((at) => {
			const type = this.#checker.getTypeAtLocation(at);
			const fields = this.#checker.getPropertiesOfType(type).filter((one) => !isParameter(one));
			return [at, new Map(fields.map((one) => this.#field(one)))] as const;
		});
		return all.sort(([, a], [, b]) => b.size - a.size);
	}

	#field(property: ts.Symbol): readonly [key: string, takes: string] {
		return [keyOf(property), this.#union([this.#checker.getTypeOfSymbol(property)])];
	}
}

const mayBeUndefined = (type: ts.Type) =>
	type.isUnion() && type.types.some(({ flags }) => flags & ts.TypeFlags.Undefined);

/** With `?` it may be undefined; with `!` it may be left out alone: the type names no undefined. */
function keyOf(property: ts.Symbol): string {
	const at = property.declarations?.[0];
	if (!(property.flags & ts.SymbolFlags.Optional)) return property.name;
	const isWritten = at && ts.isPropertySignature(at) && at.questionToken && !isOfShapes(at);
	const mayBe = /\b(undefined|unknown)\b/.test((at && ts.isPropertySignature(at) && at.type?.getText()) || "");
	return `${property.name}${isWritten && !mayBe ? "!" : "?"}`;
}

/** A field of an object of the SDK, and no method: an object with these is somebody else's. */
function isFieldOfOurs(property: ts.Symbol): boolean {
	const [at] = property.declarations ?? [];
	return isParameter(property) || (at?.getSourceFile().fileName.startsWith(ROOM) === true && !ts.isMethodSignature(at));
}

/** What came from the service, or is written down with what is needed of it alone, may hold more; options hold nothing else. */
function isShape(properties: readonly ts.Symbol[]): boolean {
	return properties.every((one) => {
		const [at] = one.declarations ?? [];
		if (at === undefined || isOfShapes(at)) return true;
		const isInline = ts.isTypeLiteralNode(at.parent) && !ts.isTypeAliasDeclaration(at.parent.parent);
		return isInline && at.parent.members.some((member) => member.questionToken === undefined);
	});
}

function isOfShapes(at: ts.Node): boolean {
	return at.getSourceFile().fileName.endsWith("/shapes.ts");
}

/** A parameter of transforms, which `imageUrl` looks at itself. */
function isParameter({ name, declarations }: ts.Symbol): boolean {
	const file = declarations?.[0]?.getSourceFile().fileName;
	return Object.hasOwn(PARAMETERS, name) && (file === undefined || file.endsWith("/transform-parameters.ts"));
}

function quoted(key: string): string {
	return /^[A-Za-z]\w*$/.test(key) ? key : JSON.stringify(key);
}
