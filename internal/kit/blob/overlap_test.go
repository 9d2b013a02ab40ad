package blob_test

import (
	"os"
	"path/filepath"
	"testing"

	"vitrine/internal/kit/blob"
)

func TestOverlap(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Mkdir(filepath.Join(dir, "images"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "images"), link); err != nil {
		t.Fatal(err)
	}

	const s3 = "s3://bucket/shop/images?endpoint=https://s3.example"
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{dir + "/images", dir + "/images", true},
		{dir + "/images", dir + "/images/", true},
		{dir + "/images", "file://" + dir + "/images/backup", true},
		{dir + "/images", dir, true},
		{dir + "/images", "/", true},
		{dir + "/images", link + "/new/backup", true},
		{dir + "/images", dir + "/images-backup", false},
		{dir + "/images", dir + "/missing/backup", false},
		{dir + "/images", s3, false},
		{s3, s3, true},
		{s3, "s3://key:secret@bucket/shop/images/backup?endpoint=https://S3.example&region=x", true},
		{s3, "s3://bucket/shop?endpoint=https://s3.example", true},
		{s3, "s3://bucket?endpoint=https://s3.example", true},
		{s3, "s3://bucket/shop/images-backup?endpoint=https://s3.example", false},
		{s3, "s3://other/shop/images?endpoint=https://s3.example", false},
		{s3, "s3://bucket/shop/images?endpoint=https://other.example", false},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			got, err := blob.Overlap(blob.Config{URL: pair[0]}, blob.Config{URL: pair[1]})
			if err != nil || got != c.want {
				t.Errorf("%s and %s: %t, %v; want %t", pair[0], pair[1], got, err, c.want)
			}
		}
	}

	if _, err := blob.Overlap(blob.Config{URL: s3}, blob.Config{URL: "s3://bucket?colour=red"}); err == nil {
		t.Error("an invalid URL is no error")
	}
}
