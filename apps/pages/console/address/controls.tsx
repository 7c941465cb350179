import type { ReactNode } from "react";
import { usePlain } from "../../kit/text.ts";
import type { ConsoleImage } from "../images/listing.ts";
import { t } from "../messages.ts";
import type { Built } from "./build.ts";
import { parameterTable, spotOf, type TableParameter } from "./state.ts";

/* A control for each parameter of the transform host, made from the SDK's table of them. */

/** What is not named here comes after these, folded away. */
const GROUPS = [
	{ title: t("builder.size"), names: ["size", "w", "h", "dpr", "fit"] },
	{ title: t("builder.cut"), names: ["crop", "gravity", "focus", "zoom", "rotate", "flip"] },
	{ title: t("builder.format"), names: ["format", "q", "lossless"] },
] as const;

interface ControlsProps {
	readonly image: ConsoleImage;
	readonly built: Built;
}

export function Controls({ image, built }: ControlsProps) {
	const table = parameterTable();
	const control = (of: (typeof table)[number]) => <Control key={of.name} of={of} image={image} built={built} />;
	const named = new Set<string>(GROUPS.flatMap(({ names }) => names));
	const others = table.filter(({ name }) => !named.has(name));
	return (
		<>
			{GROUPS.map(({ title, names }) => (
				<fieldset key={names[0]}>
					<legend>{title}</legend>
					<div className="controls">{table.filter(({ name }) => names.some((one) => one === name)).map(control)}</div>
				</fieldset>
			))}
			<details open={others.some(({ name }) => built.state.parameters[name] !== undefined)}>
				<summary>{t("builder.more")}</summary>
				<div className="controls">{others.map(control)}</div>
			</details>
		</>
	);
}

interface ControlProps extends ControlsProps {
	readonly of: TableParameter & { readonly name: string };
}

function Control({ of, image, built }: ControlProps) {
	const { name, values, unit } = of;
	const id = `p-${name}`;
	const isBox = values?.length === 1;
	const Input = isBox ? Box : values ? Choice : Typed;
	return (
		<div className={isBox ? "field choice" : "field"}>
			<label htmlFor={id}>
				<code>{name}</code> {unit && <span className="soft">{unit}</span>}
			</label>
			<Input of={of} id={id} value={built.state.parameters[name]} isFaulty={built.told.faults[name] !== undefined} />
			{of.kind === "point" && <Spot id={id} of={of} image={image} built={built} />}
			<span id={`${id}-said`} className="hint" data-fresh>
				<Said name={name} built={built} />
			</span>
		</div>
	);
}

/** What the service says of a value. */
function Said({ name, built: { told } }: { readonly name: string; readonly built: Built }): ReactNode {
	const fault = told.faults[name];
	if (fault !== undefined) return <span className="fault">{fault}</span>;
	return told.idle.has(name) ? t("builder.idle") : null;
}

interface InputProps {
	readonly of: ControlProps["of"];
	readonly id: string;
	readonly value: string | undefined;
	readonly isFaulty: boolean;
}

function attributesOf({ of, id, isFaulty }: InputProps) {
	return { id, name: of.name, "aria-describedby": `${id}-said`, "aria-invalid": isFaulty || undefined };
}

function Box(props: InputProps) {
	const [value] = props.of.values ?? [];
	return (
		<input
			type="checkbox"
			{...attributesOf(props)}
			value={String(value)}
			defaultChecked={props.value === String(value)}
		/>
	);
}

function Choice(props: InputProps) {
	const { values = [], usual, unit = "" } = props.of;
	return (
		<select {...attributesOf(props)} defaultValue={props.value ?? ""}>
			<option value="">{usual === undefined ? "–" : usual}</option>
			{values
				.filter((one) => one !== usual)
				.map((one) => (
					<option key={String(one)} value={String(one)}>
						{one}
						{unit}
					</option>
				))}
		</select>
	);
}

const HINTS: Readonly<Record<string, string>> = { piece: "x,y,w,h", point: "x,y", image: "img_…", colour: "#ff8800" };

/** Numbers, words and whatever else is written. */
function Typed(props: InputProps) {
	const { of, id, value } = props;
	const { kind, min, max, words, usual, name } = of;
	const isNumber = min !== undefined && max !== undefined;
	const step = of.decimals === undefined ? 1 : 10 ** -of.decimals;
	const list = words && `${id}-words`;
	const hint = usual ?? (isNumber ? `${min}–${max}` : HINTS[kind]);
	const common = {
		...attributesOf(props),
		defaultValue: value,
		placeholder: hint?.toString(),
		autoComplete: "off",
		list,
	};
	return (
		<>
			{isNumber && !words ? (
				<input type="number" inputMode="decimal" {...common} min={min} max={max} step={step} />
			) : (
				<input type="text" spellCheck={false} {...common} data-min={min} data-max={max} />
			)}
			{list && (
				<datalist id={list}>
					{words?.map((word) => (
						<option key={word} value={word} />
					))}
				</datalist>
			)}
			{isNumber && (
				<input
					type="range"
					className="slide"
					aria-label={name}
					data-of={id}
					{...{ min, max }}
					step={of.decimals === undefined ? 1 : Math.max(step, (max - min) / 200)}
					defaultValue={Number(value) || usual || min}
				/>
			)}
		</>
	);
}

interface SpotProps extends ControlsProps {
	readonly id: string;
	readonly of: ControlProps["of"];
}

/** The picture, small, on which a point is seen and chosen. What is turned has its points elsewhere, and a piece those of its own. */
function Spot({ id, of: { name }, image, built: { state } }: SpotProps) {
	const say = usePlain();
	const { rotate, flip, crop } = state.parameters;
	if (!image.preview) return null;
	const [x = 0, y = 0, w = image.width, h = image.height] = numbersOf(crop, 4) ?? [];
	const point = numbersOf(state.parameters[name], 2);
	const common = { src: image.preview.url, ...spotOf(image) };
	return (
		<span id={`${id}-spot`} className="spot" data-fresh hidden={rotate !== undefined || flip !== undefined}>
			{crop === undefined ? (
				<input type="image" name={name} alt={say(t("builder.spot"))} tabIndex={-1} data-of={id} {...common} />
			) : (
				<img alt="" {...common} />
			)}
			<svg viewBox={`0 0 ${image.width} ${image.height}`} aria-hidden="true" focusable="false" {...spotOf(image)}>
				{crop !== undefined && <rect x={x} y={y} width={w} height={h} />}
				{point && (
					<circle
						cx={x + (point[0] ?? 0) * w}
						cy={y + (point[1] ?? 0) * h}
						r={Math.max(image.width, image.height) / 22}
					/>
				)}
			</svg>
		</span>
	);
}

function numbersOf(text: string | undefined, count: number): readonly number[] | undefined {
	const numbers = text?.split(",").map(Number);
	return numbers?.length === count && numbers.every(Number.isFinite) ? numbers : undefined;
}
