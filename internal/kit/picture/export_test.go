package picture

// BeforeDecode makes the decoder call fn before it decodes an image, with the memory that the image takes.
func (d *Decoder) BeforeDecode(fn func(need int64)) { d.beforeDecode = fn }
