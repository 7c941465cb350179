import { fileURLToPath } from "node:url";
import { moduleOf } from "@svc/deploy/sdk-package";
import ts from "typescript";

/* Reads what can be imported of the SDK: its calls and options, with what stands over them in the source. */

export const ROOM = fileURLToPath(new URL("../../packages/sdk/", import.meta.url));

/** What gives an object of calls. */
const CLIENTS = ["createClient", "createManagement"];

export interface Call {
	/** As one writes it: `images.get(id, options?)`. */
	readonly text: string;
	/** What it gives in the end. */
	readonly gives: string;
	readonly about: string;
}

interface Field {
	readonly name: string;
	readonly type: string;
	readonly about: string;
}

/** Over the fields of a class. */
export const FIELDS = "Its fields";

export interface Options {
	readonly name: string;
	readonly about: string;
	/** Others whose fields it has as well. */
	readonly has: readonly string[];
	readonly fields: readonly Field[];
}

export interface Exported {
	readonly name: string;
	readonly kind: "function" | "class" | "value";
	readonly signature: string;
	readonly about: string;
	/** The calls on what it gives. */
	readonly calls: readonly Call[];
	/** What its calls take, where that is a shape of the SDK. */
	readonly options: readonly Options[];
}

/** The types of the SDK, and the source of each entry. */
export function openSdk(entries: readonly string[]) {
	const files = entries.map((entry) => `${ROOM}${moduleOf(entry)}.ts`);
	const options: ts.CompilerOptions = {
		target: ts.ScriptTarget.ES2022,
		module: ts.ModuleKind.Preserve,
		lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
		types: [],
		strict: true,
		allowImportingTsExtensions: true,
		noEmit: true,
	};
	const program = ts.createProgram(files, options);
	const sources = entries.map((entry, at) => {
		const source = program.getSourceFile(files[at] ?? "");
		if (source === undefined) throw new Error(`There is no ${entry}.ts in the SDK.`);
		return [entry, source] as const;
	});
	return { checker: program.getTypeChecker(), sources: new Map(sources) };
}

/** Of each entry the functions, classes and objects that it exports itself. */
export function readSdk(entries: readonly string[]): ReadonlyMap<string, readonly Exported[]> {
	const { checker, sources } = openSdk(entries);
	const reader = new Reader(checker);
	return new Map([...sources].map(([entry, source]) => [entry, reader.exportsOf(source)]));
}

class Reader {
	readonly #checker: ts.TypeChecker;
	constructor(checker: ts.TypeChecker) {
		this.#checker = checker;
	}

	exportsOf(source: ts.SourceFile): readonly Exported[] {
		const module = this.#checker.getSymbolAtLocation(source);
		const symbols = module === undefined ? [] : this.#checker.getExportsOfModule(module);
		return symbols.flatMap((symbol) => this.#exported(symbol, source));
	}

	#exported(alias: ts.Symbol, source: ts.SourceFile): readonly Exported[] {
		const isAlias = (alias.flags & ts.SymbolFlags.Alias) !== 0;
		const symbol = isAlias ? this.#checker.getAliasedSymbol(alias) : alias;
		const at = symbol.valueDeclaration;
		if (at === undefined || !isSaidHere(symbol, at, source)) return [];
		const { name } = alias;
		const about = this.#about(symbol) || this.#about(alias);
		if (ts.isClassDeclaration(at)) return [{ ...this.#classOf(at), name, about }];
		const [signature] = this.#checker.getTypeOfSymbolAtLocation(symbol, source).getCallSignatures();
		if (signature === undefined) return [{ name, kind: "value", signature: "", about, calls: [], options: [] }];
		return [{ ...this.#functionOf(signature, name), name, about }];
	}

	#functionOf(signature: ts.Signature, name: string): Omit<Exported, "name" | "about"> {
		const given = signature.getReturnType();
		// What a framework gets is its own affair.
		const isClient = CLIENTS.includes(name);
		const gives = isClient || !isOurs(given) || given.aliasSymbol ? `: ${this.#typeText(given)}` : "";
		return {
			kind: "function",
			signature: `${name === "default" ? "" : name}(${parametersOf(signature)})${gives}`,
			calls: isClient ? this.#callsOn(given, "") : [],
			options: this.#optionsOf([signature, ...(isClient ? this.#signaturesOn(given) : [])]),
		};
	}

	#classOf(at: ts.ClassDeclaration): Omit<Exported, "name" | "about"> {
		const fields = at.members.filter(ts.isPropertyDeclaration).map((member) => {
			const field = this.#checker.getSymbolAtLocation(member.name);
			const type = plain(member.type?.getText() ?? "");
			return { name: member.name.getText(), type, about: field ? this.#about(field) : "" };
		});
		return {
			kind: "class",
			signature: `class ${at.name?.text} extends Error`,
			calls: [],
			options: [{ name: FIELDS, about: "", has: [], fields: fields.filter(({ name }) => name !== "name") }],
		};
	}

	/** All calls below an object, by how one gets to them. */
	#callsOn(type: ts.Type, path: string): readonly Call[] {
		return type.getProperties().flatMap((property) => {
			const at = property.valueDeclaration;
			if (at === undefined || property.getJsDocTags().some(({ name }) => name === "deprecated")) return [];
			const place = path === "" ? property.name : `${path}.${property.name}`;
			const held = this.#checker.getTypeOfSymbolAtLocation(property, at);
			const signatures = held.getCallSignatures();
			if (signatures.length === 0) return isOurs(held) ? this.#callsOn(held, place) : [];
			return signatures.flatMap((signature): readonly Call[] => {
				const given = signature.getReturnType();
				const text = `${place}(${namesOf(signature)})`;
				if (this.#holdsCalls(given)) return this.#callsOn(given, text);
				const about = this.#docs(signature.getDocumentationComment(this.#checker), signature.getJsDocTags());
				return [{ text, gives: this.#typeText(given), about: about || this.#about(property) }];
			});
		});
	}

	#signaturesOn(type: ts.Type): readonly ts.Signature[] {
		if (!isOurs(type)) return [];
		return type.getProperties().flatMap((property) => {
			const at = property.valueDeclaration;
			if (at === undefined) return [];
			const held = this.#checker.getTypeOfSymbolAtLocation(property, at);
			const signatures = held.getCallSignatures();
			if (signatures.length === 0) return this.#signaturesOn(held);
			return signatures.flatMap((signature) => {
				const given = signature.getReturnType();
				return this.#holdsCalls(given) ? this.#signaturesOn(given) : [signature];
			});
		});
	}

	#holdsCalls(type: ts.Type): boolean {
		// Its calls are those of the client, and stand there.
		if (!isOurs(type) || type.getSymbol()?.name === "UserClient") return false;
		return type.getProperties().some((property) => {
			const at = property.valueDeclaration;
			return at !== undefined && this.#checker.getTypeOfSymbolAtLocation(property, at).getCallSignatures().length > 0;
		});
	}

	/** The shapes of the SDK that parameters have, each once, with those that they extend. */
	#optionsOf(signatures: readonly ts.Signature[]): readonly Options[] {
		const parameters = signatures.flatMap((signature) => signature.getParameters());
		const types = parameters.flatMap(({ valueDeclaration: at }) => (at ? [this.#checker.getTypeAtLocation(at)] : []));
		const waiting = new Set(types.flatMap((type) => this.#interfacesIn(type)));
		for (const one of waiting) for (const base of this.#basesOf(one)) waiting.add(base);
		return [...waiting].map((one) => this.#optionsAt(one)).filter(({ fields }) => fields.length > 0);
	}

	#interfacesIn(type: ts.Type): readonly ts.InterfaceDeclaration[] {
		if (type.isUnionOrIntersection()) return type.types.flatMap((one) => this.#interfacesIn(one));
		return (type.getSymbol()?.declarations ?? []).filter((at): at is ts.InterfaceDeclaration => isOptions(at));
	}

	#basesOf(at: ts.InterfaceDeclaration): readonly ts.InterfaceDeclaration[] {
		const clauses = at.heritageClauses?.flatMap(({ types }) => [...types]) ?? [];
		return clauses.flatMap(({ expression, typeArguments }) =>
			[expression, ...(typeArguments ?? [])].flatMap((node) =>
				this.#interfacesIn(this.#checker.getTypeAtLocation(node)),
			),
		);
	}

	#optionsAt(at: ts.InterfaceDeclaration): Options {
		const fields = at.members.filter(ts.isPropertySignature).map((member) => {
			const field = this.#checker.getSymbolAtLocation(member.name);
			return {
				name: `${member.name.getText()}${member.questionToken ? "?" : ""}`,
				type: plain(member.type?.getText() ?? ""),
				about: field ? this.#about(field) : "",
			};
		});
		const symbol = this.#checker.getSymbolAtLocation(at.name);
		const has = at.heritageClauses?.flatMap(({ types }) => types.map((type) => plain(type.getText()))) ?? [];
		return { name: at.name.text, about: symbol ? this.#about(symbol) : "", has, fields };
	}

	#about(symbol: ts.Symbol): string {
		return this.#docs(symbol.getDocumentationComment(this.#checker), symbol.getJsDocTags(this.#checker));
	}

	#docs(parts: readonly ts.SymbolDisplayPart[], tags: readonly ts.JSDocTagInfo[]): string {
		const failures = tags
			.filter(({ name }) => name === "throws")
			.map(
				({ text }) =>
					`Throws ${ts
						.displayPartsToString([...(text ?? [])])
						.trim()
						.replace(/\.?$/, ".")}`,
			);
		const text = ts.displayPartsToString([...parts]).replace(/\{@link (?:\w+\.)?(\w+)\}/g, "`$1`");
		return [text, ...failures].join(" ").replace(/\s+/g, " ").trim();
	}

	/** Of a promise what it gives; of what is walked through, each. */
	#typeText(type: ts.Type): string {
		const name = type.getSymbol()?.name;
		const [inner] = this.#checker.getTypeArguments(type as ts.TypeReference) ?? [];
		if (name === "Promise" && inner) return this.#typeText(inner);
		if (name === "AsyncGenerator" && inner) return `each ${this.#typeText(inner)}`;
		const text = plain(this.#checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation));
		return text.startsWith("{") && text.length > 80 ? "Management" : text;
	}
}

/** What another module exports stands there, but what a user gets from the index alone; what our own programs use stands nowhere. */
function isSaidHere(symbol: ts.Symbol, at: ts.Node, source: ts.SourceFile): boolean {
	if (symbol.getJsDocTags().some(({ name }) => name === "internal")) return false;
	const from = at.getSourceFile();
	return from === source || from.fileName.endsWith("/webhooks.ts");
}

/** Whether an object is one of the SDK's own: those of the platform are not walked through. */
function isOurs(type: ts.Type): boolean {
	const symbol = type.getSymbol() ?? type.aliasSymbol;
	if (type.isIntersection()) return type.types.every(isOurs);
	const files = symbol?.declarations?.map((at) => at.getSourceFile().fileName) ?? [];
	return files.length > 0 && files.every((file) => file.startsWith(ROOM)) && (type.flags & ts.TypeFlags.Object) !== 0;
}

/** Answers of the service are no options, nor is what a framework hands over. */
function isOptions(at: ts.Declaration): boolean {
	const file = at.getSourceFile().fileName;
	return ts.isInterfaceDeclaration(at) && file.startsWith(ROOM) && !file.endsWith("/shapes.ts");
}

function parametersOf(signature: ts.Signature): string {
	const texts = signature.getParameters().map((parameter) => {
		const at = parameter.valueDeclaration as ts.ParameterDeclaration;
		return `${nameOf(parameter)}: ${plain(at.type?.getText() ?? "unknown")}`;
	});
	return texts.join(", ");
}

function namesOf(signature: ts.Signature): string {
	return signature.getParameters().map(nameOf).join(", ");
}

/** What is taken apart at once is `options`, but for the first: that is what its type is called, or its fields. */
export function nameOf(parameter: ts.Symbol): string {
	const at = parameter.valueDeclaration;
	if (at === undefined || !ts.isParameter(at)) return parameter.name;
	const mark = at.questionToken || at.initializer ? "?" : "";
	if (ts.isIdentifier(at.name)) return at.name.text + mark;
	const type = at.type?.getText() ?? "";
	if (/^\w+$/.test(type) && !type.endsWith("Options"))
		return type.replace(/^New/, "").replace(/^./, (a) => a.toLowerCase()) + mark;
	if (type.startsWith("Pick<")) return `{ ${at.name.elements.map((element) => element.getText()).join(", ")} }`;
	return `options${mark}`;
}

function plain(type: string): string {
	return type
		.replace(/readonly /g, "")
		.replace(/Readonly<(Record<.*?>)>/g, "$1")
		.replace(/ \| undefined/g, "")
		.replace(/\s+/g, " ")
		.trim();
}
