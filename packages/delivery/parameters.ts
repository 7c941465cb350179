import { Failure } from "@svc/base/failure";
import { PARAMETER_LIST } from "@svc/images/transform/parameters";
import { demandOf, type Kind, parseValue } from "@svc/images/transform/values";
import type { PresetParameters } from "./preset.ts";

/** @throws Failure validation_error, naming each parameter that the transform host would ignore */
export function checkParameters(parameters: PresetParameters): void {
	const faults = Object.entries(parameters).flatMap(([name, text]) => {
		const fault = faultOf(name, text);
		return fault === undefined ? [] : [[`parameters.${name}`, [fault]] as const];
	});
	if (faults.length > 0) throw new Failure("validation_error", Object.fromEntries(faults));
}

/** Why the transform host would ignore a parameter with this value; undefined where it takes it. */
export function faultOf(name: string, text: string): string | undefined {
	const parameter = PARAMETER_LIST.find((one) => one.name === name);
	if (!parameter) return "is no parameter of the transform host";
	const { takes } = parameter;
	return parseValue(strictly(takes), text) === undefined ? `must be ${demandOf(takes)}` : undefined;
}

/** In an address a value may be brought into range; in a preset it is a mistake. */
function strictly(kind: Kind): Kind {
	if (kind.kind !== "decimal") return kind;
	const { clamps, ...strict } = kind;
	return strict;
}
