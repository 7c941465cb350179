import { IMAGE_FORMATS } from "@svc/base/enumerations";
import { faultOf } from "@svc/delivery/parameters";
import { boundsOf } from "@svc/images/layout/bounds";
import type { Extent } from "@svc/images/layout/extent";
import { layoutOf } from "@svc/images/layout/geometry";
import { PARAMETER_LIST } from "@svc/images/transform/parameters";
import {
	canonicalFor,
	canonicalString,
	isEmpty,
	isTransformable,
	outputFormat,
	parseTransform,
} from "@svc/images/transform/transform";
import type { Transformed } from "../console/kit/visit.ts";

interface Pictured extends Extent {
	readonly format: string;
}

const APART = new Set<string>(PARAMETER_LIST.filter(({ apart }) => apart).map(({ name }) => name));

/** Says without making it what an address of an image asks for. */
export function transformed(image: Pictured, sent: Readonly<Record<string, string>>): Transformed {
	const asked = Object.entries(sent);
	const faults = asked.flatMap(([name, text]) => {
		const fault = faultOf(name, text);
		return fault === undefined ? [] : [[name, fault] as const];
	});
	const valid = asked.filter(([name, text]) => faultOf(name, text) === undefined);
	const format = IMAGE_FORMATS.find((one) => one === image.format) ?? "png";
	const shown = (pairs: typeof valid) => canonicalFor(parseTransform(new URLSearchParams([...pairs])), format, image);
	const all = shown(valid);
	const text = canonicalString(all);
	const isIdle = ([name, value]: (typeof valid)[number]) =>
		// What a request accepts decides over `auto`.
		!APART.has(name) && value !== "auto" && canonicalString(shown(valid.filter(([other]) => other !== name))) === text;
	return {
		faults: Object.fromEntries(faults),
		idle: new Set(valid.filter(isIdle).map(([name]) => name)),
		size: sizeOf(image, format, all),
		format: isTransformable(format) ? outputFormat(all, format) : format,
	};
}

function sizeOf(
	{ width, height }: Pictured,
	format: (typeof IMAGE_FORMATS)[number],
	transform: ReturnType<typeof canonicalFor>,
): Extent | undefined {
	if (!isTransformable(format) || isEmpty(transform)) return { width, height };
	// How far a border goes, and how near a cut comes that must not enlarge, is seen in the picture alone.
	if (transform.trim || (transform.zoom && transform.fit === "crop")) return undefined;
	return layoutOf({ width, height }, transform, boundsOf(outputFormat(transform, format), 1, transform)).output;
}
