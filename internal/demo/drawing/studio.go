package drawing

import (
	"sync"

	"vitrine/internal/kit/picture"
)

// keptPictures is how many files a Studio keeps. They take about 30 KB each.
const keptPictures = 1000

// Studio renders pictures and keeps the files, because many products of a large catalogue look alike. It is safe for
// concurrent use.
type Studio struct {
	mutex     sync.Mutex
	files     map[Spec]picture.Picture
	backdrops sync.Map // *image.RGBA by backdropKey
}

// NewStudio returns a Studio without pictures.
func NewStudio() *Studio { return &Studio{files: map[Spec]picture.Picture{}} }

// Render draws a picture as a JPEG file of Side × Side pixels. The caller must not modify its bytes.
func (s *Studio) Render(spec Spec) (picture.Picture, error) {
	s.mutex.Lock()
	file, ok := s.files[spec]
	s.mutex.Unlock()
	if ok {
		return file, nil
	}

	file, err := s.render(spec)
	if err != nil {
		return picture.Picture{}, err
	}

	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.files) >= keptPictures {
		clear(s.files)
	}
	s.files[spec] = file
	return file, nil
}
