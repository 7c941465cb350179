import { writeSequential } from "@svc/imaging/jpeg/sequential";
import type { ByteSource } from "@svc/imaging/jpeg/source";
import { sharp } from "@svc/imaging/sharp-settings";

/* What the tests of sequential copies share: pictures that sharp cannot write, and copies in memory. */

/** 45×27 pixels by cjpeg, 4:2:0: DC scans of two components and of one, three steps of refinement, restarts every two blocks. */
export const PARTLY_INTERLEAVED = base64(`
	/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACAWGBwYFCAcGhwkIiAmMFA0MCwsMGJGSjpQdGZ6eHJmcG6AkLicgIiuim5woNqirr7EztDOfJri8u
	DI8LjKzsb/2wBDASIkJDAqMF40NF7GhHCExsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsb/wgARCAAb
	AC0DASIAAhEBAxEB/8QAGAAAAwEBAAAAAAAAAAAAAAAAAgMEAAH/xAAUAQEAAAAAAAAAAAAAAAAAAAAA/90ABAAC/9oACgIBAAIQAAAB4yah1b
	Zn/9DDTMU+cH//0THC6JZ//8QAFQEBAQAAAAAAAAAAAAAAAAAAAQD/2gAIAQMQAAABr//QH//RH//EAB8QAAICAgEFAAAAAAAAAAAAAAECABED
	EiIQEyExM//aAAgBAQABBQJjypp//9Daozcv/9GKbn//0lUltXn/0z3IgAb/1KEApv/VyGnFT//W0MyHx//XDkAe/wD/0HNOXYz/0cDExvp//9
	Lp/8QAIBAAAwAABQUAAAAAAAAAAAAAAAERAhIhIjEQMkGh0f/aAAgBAQAGPwLLYaOn/9DcoLcf/9Hv9DP/0vp4P//TlTN+h//U5MSP/9UtP//W
	pl5P/9eZBs//0DVn/9F1jP/S6f/EABcRAAMBAAAAAAAAAAAAAAAAAAABEBH/2gAIAQIBAT8An//Qc//RNP/EABYRAQEBAAAAAAAAAAAAAAAAAB
	ABEf/aAAgBAwEBPwA//9CH/9HD/8QAHxABAAIDAQACAwAAAAAAAAAAAQARIUFRMRBhcdHh/9oACAEBAAE/IRRhbZV5n7n/0Oh+fkwBQrWZ/9HP
	9QqDTWyf/9KgmX1gNsTP/9OoLJ1UeBtqf//Ua/2hkaZ//9VcLWIqCfnZ/9Yuv665FMFnup//17ysHI1UJbP/0HdOcgNYJ//RDFlRXfrE/9L4/8
	QAHxABAAMBAAEFAQAAAAAAAAAAAQARITFREEFhkbGh/9oACAEBAAE/EFsj0/4QPfg+H7J//9BKpLyL+xCbF3sabn//0apiagoFij3J/9KmoJkT
	Y6RvUuf/00ctYDb5YmbLdm35n//UekVcziMIpTb3k//VYKqpjUJWmum5/9ZS3LL6fj5ilgeB0eZ//9cBxgscmjlwez//0EpBQaH9lxiNAA/J/9
	Fwx4v2jX14HwT/0jnp/9oADAMBAAIAAwAAABDQT//Q78//0WfP/9k=
`);

/** 45×27 pixels by cjpeg, 4:1:1, restarts after every row of MCUs. */
export const QUARTERED_COLOURS = base64(`
	/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACAWGBwYFCAcGhwkIiAmMFA0MCwsMGJGSjpQdGZ6eHJmcG6AkLicgIiuim5woNqirr7EztDOfJri8u
	DI8LjKzsb/2wBDASIkJDAqMF40NF7GhHCExsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsbGxsb/wgARCAAb
	AC0DAUEAAhEBAxEB/8QAGAAAAwEBAAAAAAAAAAAAAAAAAAIEAwH/xAAVAQEBAAAAAAAAAAAAAAAAAAAAAf/dAAQAAv/aAAwDAQACEAMQAAAB5o
	ZnVA//0MaGmSyYF//Rw3dU4oL/AP/SnSxToEf/xAAfEAACAgIBBQAAAAAAAAAAAAABAgARAxIiEBMhMTP/3QAEAAb/2gAIAQEAAQUCY8qabVGb
	lFNz/9BVJbV4e5EADUIBTf/RyGnFTQzIfAcgD3//0nNOXYzAxMb6dP/EABQRAQAAAAAAAAAAAAAAAAAAABD/3QAEAAL/2gAIAQMBAT8BP//QP/
	/RP//SP//EABQRAQAAAAAAAAAAAAAAAAAAABD/2gAIAQIBAT8BP//QP//RP//SP//EACAQAAMAAAUFAAAAAAAAAAAAAAABEQISISIxEDJBodH/
	3QAEAAb/2gAIAQEABj8Cy2GjpuUFuO/0M//Q+nglTN+hyYkf/9EtKZeSZBs//9I1Y6x9f//EAB8QAQACAwEAAgMAAAAAAAAAAAEAESFBUTEQYX
	HR4f/aAAgBAQABPyEUYW2VeZ+50Pz8mAKFazM/1CoNNbJ//9CgmX1gNsTKgsnVR4G2o1/tDI0z/9FcLWIqCfnYXX9dcimCz3UvKwcjVQls/9J3
	TnIDWCBiyorv1j5//90ABAAC/9oADAMBAAIAAwAAABDDz//QVg//0dfP/9Lj7//EABYRAQEBAAAAAAAAAAAAAAAAABAAAf/aAAgBAwEBPxA//9
	Cy/9HT/9I//8QAFhEBAQEAAAAAAAAAAAAAAAAAAAEQ/9oACAECAQE/EM//0Ff/0Vf/0s//xAAfEAEAAwEAAQUBAAAAAAAAAAABABEhMVEQQWGR
	saH/3QAEAAb/2gAIAQEAAT8QWyPT/hA9+D4fsiVSXkX9iE2LvY03KpiagoFij3J//9CmoJkTY6RvUuI5awG3yxM2W7NvzHpFXM4jCKU295P/0W
	CqqY1CVprpuKW5ZfT8fMUsDwOjzAHGCxyaOXB7P//SSkFBof2XGI0AD8jhjxftGvrwPghz0//Z
`);

function base64(text: string): Uint8Array<ArrayBuffer> {
	return Uint8Array.from(atob(text.replaceAll(/\s/g, "")), (character) => character.charCodeAt(0));
}

export function memorySource(bytes: Uint8Array): ByteSource {
	return {
		length: bytes.length,
		read(into, at) {
			const part = bytes.subarray(at, at + into.length);
			into.set(part);
			return part.length;
		},
	};
}

export function sequential(bytes: Uint8Array, maxBytes = 100_000_000): Uint8Array<ArrayBuffer> {
	const parts: Uint8Array[] = [];
	// A part is only there until the next one is written.
	writeSequential(memorySource(bytes), maxBytes, (part) => parts.push(part.slice()));
	return new Uint8Array(Buffer.concat(parts));
}

/** Waves at every scale with a little noise, so that there is something in every coefficient. */
export async function wavy(width: number, height: number, channels: 1 | 3 = 3): Promise<Uint8Array> {
	const pixels = new Uint8Array(width * height * channels);
	for (let at = 0; at < pixels.length; at++) {
		const place = Math.floor(at / channels);
		const [x, y] = [place % width, Math.floor(place / width)];
		const noise = (Math.imul(at, 2_654_435_761) >>> 24) / 8;
		pixels[at] = 112 + 50 * Math.sin((x * y) / 900) + 45 * Math.sin(x / 3 + y / 7 + (at % channels)) + noise;
	}
	const raw = sharp(pixels, { raw: { width, height, channels } });
	return await raw
		.toColourspace(channels === 1 ? "b-w" : "srgb")
		.png()
		.toBuffer();
}
