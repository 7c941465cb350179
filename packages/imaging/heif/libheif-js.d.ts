declare module "libheif-js/wasm-bundle.js" {
	/** An address in the module's memory. */
	type Pointer = number;

	/** The part of libheif's C interface that is used here; libheif/api/libheif/*.h documents it. */
	interface LibHeif {
		readonly ready: Promise<unknown>;
		/** Replaced whenever the memory grows: read it again after every call. */
		readonly HEAPU8: Uint8Array;
		readonly HEAPU32: Uint32Array;
		_malloc(bytes: number): Pointer;
		_free(pointer: Pointer): void;
		_heif_context_alloc(): Pointer;
		_heif_context_free(context: Pointer): void;
		_heif_context_get_security_limits(context: Pointer): Pointer;
		_heif_context_read_from_memory_without_copy(
			error: Pointer,
			context: Pointer,
			bytes: Pointer,
			length: number,
			options: Pointer,
		): void;
		_heif_context_get_primary_image_handle(error: Pointer, context: Pointer, out: Pointer): void;
		_heif_image_handle_get_width(image: Pointer): number;
		_heif_image_handle_get_height(image: Pointer): number;
		_heif_image_handle_has_alpha_channel(image: Pointer): number;
		_heif_image_handle_is_premultiplied_alpha(image: Pointer): number;
		_heif_image_handle_get_luma_bits_per_pixel(image: Pointer): number;
		_heif_image_handle_release(image: Pointer): void;
		_heif_decoding_options_alloc(): Pointer;
		_heif_decoding_options_free(options: Pointer): void;
		_heif_decode_image(
			error: Pointer,
			image: Pointer,
			out: Pointer,
			colourSpace: number,
			chroma: number,
			options: Pointer,
		): void;
		_heif_image_get_plane_readonly(picture: Pointer, channel: number, strideOut: Pointer): Pointer;
		_heif_image_get_width(picture: Pointer, channel: number): number;
		_heif_image_get_height(picture: Pointer, channel: number): number;
		_heif_image_get_bits_per_pixel_range(picture: Pointer, channel: number): number;
		_heif_image_release(picture: Pointer): void;
	}

	const libheif: LibHeif;
	export = libheif;
}
