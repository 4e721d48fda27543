//go:build cgo && unix
package bench
import ("testing";"fmt";"time";"os";"github.com/sightline-analytics/sightline/store";"github.com/sightline-analytics/sightline/query")
func TestZZ2(t *testing.T){
 s,err:=newService(t.Context(),os.Getenv("ZZ_FILE"),1<<30,1); if err!=nil{t.Fatal(err)}
 defer s.close()
 show:=func(){ days,_:=s.store.Days(t.Context(),store.Subject{Kind:store.KindWebsite,ID:websiteID(0)},time.UnixMilli(-1<<53),time.UnixMilli(1<<53))
 for i,d:=range days { if d.Version>d.Sealed||i<3||i>len(days)-4{fmt.Println(i,d)}}
 fmt.Println(len(days),end)}
 show()
 by:=query.NewSealer(s.engine)
 for range 5 { began:=time.Now(); n,err:=by.Seal(t.Context()); fmt.Println(n,err,time.Since(began)) ; }
 show()
}
