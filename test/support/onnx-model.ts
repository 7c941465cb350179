/*
 * An ONNX file without weights, written by hand (onnx.proto3): it takes a picture of 16 by 16 and gives the brightest of the three colours
 * of each pixel, so what is white is the subject.
 */

type Field = readonly [number: number, value: number | string | readonly Field[]];

function encoded(fields: readonly Field[]): number[] {
	return fields.flatMap(([number, value]) => {
		if (typeof value === "number") return [...varint(number << 3), ...varint(value)];
		const bytes = typeof value === "string" ? [...new TextEncoder().encode(value)] : encoded(value);
		return [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes];
	});
}

function varint(value: number): number[] {
	return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

function tensor(name: string, dims: readonly number[]): readonly Field[] {
	const shape = dims.map((length): Field => [1, [[1, length]]]);
	const float = 1;
	return [
		[1, name],
		[
			2,
			[
				[
					1,
					[
						[1, float],
						[2, shape],
					],
				],
			],
		],
	];
}

export function brightnessModel(colours = 3): Uint8Array {
	const ints = 7;
	const axes: readonly Field[] = [
		[1, "axes"],
		[8, 1],
		[20, ints],
	];
	const node: readonly Field[] = [
		[1, "picture"],
		[2, "mask"],
		[4, "ReduceMax"],
		[5, axes],
	];
	const graph: readonly Field[] = [
		[1, node],
		[2, "brightness"],
		[11, tensor("picture", [1, colours, 16, 16])],
		[12, tensor("mask", [1, 1, 16, 16])],
	];
	const opset: readonly Field[] = [
		[1, ""],
		[2, 13],
	];
	return Uint8Array.from(
		encoded([
			[1, 8],
			[7, graph],
			[8, opset],
		]),
	);
}
