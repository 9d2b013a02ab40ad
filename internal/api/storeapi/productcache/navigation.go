package productcache

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/cache"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/change"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// WholeTree is the depth of a navigation with all categories.
const WholeTree = math.MaxInt

// Navigation responds with the tree of categories down to a depth, with the number of products of each, and its own
// image or that of its first product.
func (c *Cache) Navigation(w http.ResponseWriter, r *httpapi.Request, depth int) error {
	key := func(current search.Versions) string {
		height, known := c.heights.Get(heightKey{r.Principal.Store.ID, current.Categories()})
		if !known {
			return ""
		}
		return navigationKey(depth, height)
	}
	if err := c.cachedFromMemory(w, r, key); !errors.Is(err, errNotInMemory) {
		return err
	}

	admitSQL := func(ctx context.Context) (func(), error) { return r.Work.Admit(ctx, httpapi.ClassHeavy) }
	query := search.Query{WithNavigation: true}
	return c.search.Find(r.Context(), query, admitSQL, func(lookup search.Lookup) error {
		return c.cachedFromSnapshot(w, r, func(
			ctx context.Context, tx store.Tx, out *httpapi.Response, current search.Versions,
		) (string, error) {
			found, err := lookup(ctx, tx, current)
			if err != nil {
				return "", err
			}
			height, err := c.writeNavigation(ctx, tx, r, out, found.Navigation, depth)
			if err != nil || found.Newer {
				return "", err
			}
			c.heights.Put(heightKey{tx.StoreID(), current.Categories()}, height)
			return navigationKey(depth, height), nil
		})
	})
}

// heightKey identifies a tree of categories, whose height is the number of its levels.
type heightKey struct {
	storeID store.ID
	version search.PartVersion
}

// heightsBytes is the memory for the heights of trees, in bytes, and heightBytes what one of them takes.
const (
	heightsBytes = 256 << 10
	heightBytes  = 40
)

func newHeights() *cache.Cache[heightKey, int] {
	return cache.New(heightsBytes, func(heightKey, int) int { return heightBytes })
}

// navigationKey returns the key of a response. All depths from the height of the tree on have the same response.
func navigationKey(depth, height int) string { return "navigation " + strconv.Itoa(min(depth, height)) }

// writeNavigation writes the tree down to a depth, and returns its height.
func (c *Cache) writeNavigation(
	ctx context.Context, tx store.Tx, r *httpapi.Request, out *httpapi.Response, branches search.Navigation,
	depth int,
) (height int, err error) {
	tree, err := catalog.ReadCategoryTree(ctx, tx)
	if err != nil {
		return 0, err
	}

	own, err := catalog.CategoryImages(ctx, tx)
	if err != nil {
		return 0, err
	}

	var firsts []int64
	tree.Walk(func(n *catalog.CategoryNode) {
		if _, has := own[n.Key]; has {
			return
		}
		if first := branches[n.Key].First; first != 0 {
			firsts = append(firsts, first)
		}
	})
	slices.Sort(firsts)

	n := navigationWriter{out: out, branches: branches, own: c.categoryImages(r, own)}
	if n.images, err = c.firstImages(ctx, tx, r, slices.Compact(firsts)); err != nil {
		return 0, err
	}

	out.CacheTag = change.ListTag
	out.BeginData()
	if err := n.writeList(tree.Roots, depth); err != nil {
		return 0, err
	}
	out.EndEnvelope()
	return heightOf(tree.Roots), nil
}

// heightOf returns the number of levels of a tree.
func heightOf(list []*catalog.CategoryNode) (height int) {
	for _, n := range list {
		height = max(height, 1+heightOf(n.Children))
	}
	return height
}

// categoryImages returns the images of categories as JSON.
func (c *Cache) categoryImages(r *httpapi.Request, own map[int64]catalog.Image) map[int64][]byte {
	render := c.newRenderer(r, view.Parts{Images: true})
	images := make(map[int64][]byte, len(own))
	for key, image := range own {
		images[key] = appendImage(nil, render.imageBaseURL, render.storeID, &image)
	}
	return images
}

// firstImages returns the first image of each of the products that have one, as JSON.
func (c *Cache) firstImages(
	ctx context.Context, tx store.Tx, r *httpapi.Request, keys []int64,
) (map[int64][]byte, error) {
	found, err := view.FirstImagesByKey(ctx, tx, keys)
	if err != nil {
		return nil, err
	}

	render := c.newRenderer(r, view.Parts{Images: true})
	images := make(map[int64][]byte, len(found))
	for key, image := range found {
		images[key] = appendImage(nil, render.imageBaseURL, render.storeID, &image)
	}
	return images, nil
}

// navigationWriter writes categories as JSON.
type navigationWriter struct {
	out      *httpapi.Response
	branches search.Navigation
	own      map[int64][]byte // images of categories, by their row keys
	images   map[int64][]byte // by row key of the product
}

// writeList writes categories with those below them, down to a depth of at least 1.
func (n *navigationWriter) writeList(list []*catalog.CategoryNode, depth int) error {
	n.out.B = append(n.out.B, '[')
	for i, node := range list {
		n.out.BeginItem(i)
		n.appendHead(node)

		children := node.Children
		if depth == 1 {
			children = nil
		}
		if err := n.writeList(children, depth-1); err != nil {
			return err
		}

		n.out.B = append(n.out.B, '}')
		if err := n.out.Spill(); err != nil {
			return err
		}
	}
	n.out.B = append(n.out.B, ']')
	return nil
}

// appendHead appends a category up to the value of its member children.
func (n *navigationWriter) appendHead(node *catalog.CategoryNode) {
	branch := n.branches[node.Key]
	b := append(n.out.B, `{"id":"`...)
	b = node.ID.Append(b)
	b = wire.AppendString(append(b, `","name":`...), node.Name)
	b = node.Slug.AppendJSON(append(b, `,"slug":`...))
	b = strconv.AppendInt(append(b, `,"count":`...), branch.Count, 10)

	b = append(b, `,"image":`...)
	image, found := n.own[node.Key]
	if !found {
		image, found = n.images[branch.First]
	}
	if !found {
		image = []byte("null")
	}
	b = append(b, image...)
	n.out.B = append(b, `,"children":`...)
}
